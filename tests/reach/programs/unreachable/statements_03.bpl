procedure {:entrypoint} main()
{
  var x: int;
  var y: int;
  x, y := 1, 2;
  x, y := y, x;
  assert x == 2 && y == 1;
}
