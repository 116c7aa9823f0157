const RNE: int;

procedure {:entrypoint} main()
{
  assert RNE == RNE + 0;
}
