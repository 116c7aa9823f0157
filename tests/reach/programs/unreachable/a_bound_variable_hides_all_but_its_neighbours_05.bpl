procedure {:entrypoint} main()
{
  var x: int;
  x := 0;
  assert (lambda x: int :: x)[7] == 7 && x == 0;
}
