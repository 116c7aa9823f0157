procedure {:entrypoint} main()
{
  var x: real;
  x := 1.5;
  assert x + 1e0 == 2.5 && int(x) == 1 && real(2) > x && 3 / 2 == x;
}
