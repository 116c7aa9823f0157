procedure {:entrypoint} main()
{
  assert (var x := 3; x + x) == 6;
}
