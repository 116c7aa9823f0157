var m: [int]int;

procedure {:entrypoint} main()
{
  assert (lambda x: int :: m) == (lambda x: int :: (lambda y: int :: m[y]));
}
