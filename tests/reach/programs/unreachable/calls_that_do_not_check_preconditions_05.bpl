// For `*` there must be a value, and then it is one for which the precondition holds.
procedure K(i: int, j: int) returns (r: int)
  requires i < j;
  requires j < 10;
{
  r := j - i;
}

procedure {:entrypoint} main()
{
  var d: int;
  call d := K(*, 5);
  assert d > 0;
}
