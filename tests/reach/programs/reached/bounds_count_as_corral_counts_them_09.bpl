// flags: /recursionBound:1 --unbounded
procedure {:entrypoint} main()
{
  var i: int;
  var j: int;
  i := 0;
  while (i < 3)
  {
    j := 0;
    while (j < 2)
    {
      j := j + 1;
    }
    i := i + 1;
  }
  assert false;
}
