function {:builtin "rem"} rem(int, int): int;

procedure {:entrypoint} main()
{
  assert rem(7, 3) == 1;
}
