procedure {:entrypoint} main()
{
  var m: [int]int;
  m := (lambda i: int :: i + 1);
  assert m[3] == 4;
}
