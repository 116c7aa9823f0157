procedure {:entrypoint} main()
{
  assert (exists x: int :: x * 2 == 6);
}
