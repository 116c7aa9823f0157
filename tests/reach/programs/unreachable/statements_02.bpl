procedure {:entrypoint} main()
{
  var x: int;
  x := 1;
  goto A, B;
A:
  x := 2;
  goto C;
B:
  x := 3;
C:
  assert x > 1;
}
