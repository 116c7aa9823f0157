procedure {:entrypoint} main()
{
  assert (lambda x: int :: (exists y: int :: x > y)) == (lambda x: int :: (exists z: int :: x > z));
}
