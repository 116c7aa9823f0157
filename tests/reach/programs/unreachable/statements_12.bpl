procedure {:entrypoint} main()
{
  var x: int;
  goto A, B;
A:
  x := 1;
  goto B;
B:
  x := 2;
  goto A, C;
C:
  assert x == 2;
}
