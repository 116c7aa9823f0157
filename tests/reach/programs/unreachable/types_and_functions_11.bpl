procedure {:entrypoint} main()
{
  assert -7 div 2 == -4 && -7 mod 2 == 1 && 7 div -2 == -3;
}
