procedure {:entrypoint} main()
{
  assert (lambda<a> x: a, y: int :: y > 0)[true, 3];
}
