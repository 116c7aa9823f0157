// A free postcondition is assumed, also where the body does not keep it.
var g: int;

procedure P(x: int) returns (r: int)
  modifies g;
  free ensures r > x && g == old(g) + r;
{
  havoc r;
  g := 7;
}

procedure {:entrypoint} main()
  modifies g;
{
  var x: int;
  g := 1;
  x := 2;
  call x := P(x);
  assert x == 6;
}
