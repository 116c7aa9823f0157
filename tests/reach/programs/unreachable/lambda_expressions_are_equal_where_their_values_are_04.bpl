procedure {:entrypoint} main()
{
  var f: [int,int]int;
  f := (lambda x: int, y: int :: x);
  assert f != (lambda x: int, y: int :: y);
}
