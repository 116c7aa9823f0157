const c: int;
axiom c == 1;
axiom c == 2;

procedure {:entrypoint} main()
{
  assert false;
}
