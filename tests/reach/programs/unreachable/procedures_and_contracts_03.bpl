procedure P(x: int)
  free requires x > 0;
{
  assert x > 0;
}

procedure {:entrypoint} main()
{
  var y: int;
  call P(y);
}
