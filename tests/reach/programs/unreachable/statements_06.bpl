procedure {:entrypoint} main()
{
  var i: int;
  i := 0;
A:
  while (true)
  {
    i := i + 1;
    while (true)
    {
      break A;
    }
  }
  assert i == 1;
}
