// As 03: the call returns.
var g: int;

procedure P() returns (r: int)
  modifies g;
  free ensures r == g + 1;
{
  g := 3;
  r := 4;
}

procedure {:entrypoint} main()
  modifies g;
{
  call g := P();
  assert g != 4;
}
