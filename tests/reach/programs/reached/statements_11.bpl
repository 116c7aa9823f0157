// Two entries into a loop: even and odd x meet in it.
procedure {:entrypoint} main()
{
  var x: int;
  x := 0;
  goto A, B;
A:
  x := x + 1;
  assume x < 4;
  goto B, C;
B:
  x := x + 2;
  assume x < 4;
  goto A;
C:
  assert x != 3;
}
