// Found by random programs: Boogie 2.4 says that this cannot fail, for it loses a `break` out of a loop that ends the
// body of another one. It can: the inner loop is left in its first round, the outer one after its second.
procedure {:entrypoint} main()
{
  var b: bool;
  var i: int;
  var j: int;
  i := 0;
  while (i < 2)
  {
    i := i + 1;
    j := 0;
    while (j < 3)
    {
      j := j + 1;
      b := true;
      if (j == 1) {
        break;
      }
    }
  }
  assert !b;
}
