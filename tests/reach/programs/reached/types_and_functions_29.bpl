const c: int;
axiom c > 5;

procedure {:entrypoint} main()
{
  assert c == 6;
}
