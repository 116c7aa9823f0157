// flags: /recursionBound:1 --unbounded
procedure {:entrypoint} main()
{
  var i: int;
  i := 0;
  while (i < 10)
  {
    i := i + 1;
  }
  assert false;
}
