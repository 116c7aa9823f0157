// Boogie 2.4.1 finds this with three unrollings, and not with two.
// flags: /loopUnroll:2
procedure {:entrypoint} main()
{
  var i: int;
  i := 0;
  while (i < 2)
  {
    i := i + 1;
  }
  assert false;
}
