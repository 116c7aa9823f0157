var g: int;

procedure P() returns (y: int)
  modifies g;
  ensures |{   var d: int;
A:
  d := g - old(g);
  return d == y;
 }|;
{
  var k: int;
  k := 4;
  g := g + k;
  y := k;
}

procedure {:entrypoint} main()
{
  var i: int;
  g := 1;
  call i := P();
  assert g == 5;
}
