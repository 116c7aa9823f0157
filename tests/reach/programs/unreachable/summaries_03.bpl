// Of a result that goes to a global the caller does not know what it was beside: nothing wrong is assumed.
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
  assert g == 4;
}
