procedure P(x: int) returns (y: int);
  ensures y > x;

implementation P(a: int) returns (b: int) {
  var k: int;
  k := a;
  b := k + 1;
}

implementation P(x: int) returns (y: int) {
  y := x + 2;
}

procedure {:entrypoint} main()
{
  var z: int;
  call z := P(4);
  assert z != 5;
}
