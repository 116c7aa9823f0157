procedure {:entrypoint} main()
{
  assert (lambda x: int :: (lambda y: int :: x)) == (lambda y: int :: (lambda x: int :: y));
}
