// A call that fails promises nothing.
procedure P(x: int) returns (r: int)
  free ensures r > x;
{
  r := x;
  assert x > 0;
  r := x + 1;
}

procedure {:entrypoint} main()
{
  var r: int;
  call r := P(0);
}
