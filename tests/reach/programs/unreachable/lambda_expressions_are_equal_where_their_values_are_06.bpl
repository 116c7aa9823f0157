// The inner variable hides the outer one.
procedure {:entrypoint} main()
{
  assert (lambda x: int :: (lambda x: int :: x)) == (lambda x: int :: (lambda y: int :: y));
}
