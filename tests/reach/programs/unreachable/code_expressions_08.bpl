procedure {:entrypoint} main()
{
  assert |{   var k: int;
A:
  return |{   var j: int;
B:
  assume j > k;
  return j != k;
 }|;
 }|;
}
