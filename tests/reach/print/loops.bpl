// A loop in a loop, and a loop with two entries.
procedure {:entrypoint} main()
{
  var i, j, x: int;

  i := 0;
  while (i < 2) {
    j := 0;
    while (j < i) {
      j := j + 1;
    }
    i := i + 1;
  }
  goto Even, Odd;
Even:
  x := x + 1;
  goto Odd, Done;
Odd:
  x := x - 1;
  goto Even;
Done:
  assert x != i;
}
