procedure {:inline 1} P(x: int)
{
  assert x != 5;
}

procedure {:entrypoint} main()
{
  call P(5);
}
