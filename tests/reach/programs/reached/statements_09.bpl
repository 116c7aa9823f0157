procedure {:entrypoint} main()
{
  var x: int;
  x := 0;
  while (x < 3)
    invariant x <= 2;
  {
    x := x + 1;
  }
}
