procedure P(x: int)
  requires x > 0;
{
}

procedure {:entrypoint} main()
{
  call P(0);
}
