procedure {:entrypoint} main()
{
  assert (lambda x: int :: (lambda y: int :: x)) == (lambda x: int :: (lambda y: int :: y));
}
