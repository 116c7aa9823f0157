var a: int;

procedure {:entrypoint} main()
{
  assert (lambda x: int, y: int :: x + a) == (lambda p: int, q: int :: a + p);
}
