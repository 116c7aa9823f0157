procedure P(x: int, y: int)
{
  assert y != 4;
}

procedure {:entrypoint} main()
{
  call P(*, 4);
}
