function {:inline} f(x: int): bool { |{   var k: int;
A:
  k := x;
  goto B, C;
B:
  return k >= x;
C:
  return k <= x;
 }| }

procedure {:entrypoint} main()
{
  var i: int;
  assert f(i);
}
