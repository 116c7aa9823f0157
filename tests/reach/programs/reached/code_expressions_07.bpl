// The variables of a code expression have any value.
procedure {:entrypoint} main()
{
  assert |{   var k: int;
A:
  return |{   var j: int;
B:
  return j == k;
 }|;
 }|;
}
