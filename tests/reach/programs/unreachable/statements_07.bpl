procedure {:entrypoint} main()
{
  var i: int;
  i := 0;
  while (i < 2)
  {
    if (i == 1) {
      return;
    }
    i := i + 1;
  }
  assert false;
}
