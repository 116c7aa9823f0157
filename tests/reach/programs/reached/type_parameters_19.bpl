procedure P<a>(x: a, y: a)
{
  assert x == y;
}

procedure {:entrypoint} main()
{
  call P(1, 1);
  call P(true, false);
}
