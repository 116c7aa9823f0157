procedure P(x: int) returns (y: int);
  requires |{   var b: bool;
A:
  b := x > 0;
  return b;
 }|;
  ensures |{ A:
  goto B, C;
B:
  return y > x;
C:
  return y < 9;
 }|;

procedure {:entrypoint} main()
{
  var i: int;
  call i := P(3);
  assert i > 3 && i < 9;
}
