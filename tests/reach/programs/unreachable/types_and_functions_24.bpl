procedure {:entrypoint} main()
{
  var x: int;
  x := 1;
  assert |{   var k: int;
A:
  k := x;
  goto B, C;
B:
  assume k == 0;
  return false;
C:
  return k == 1;
 }|;
}
