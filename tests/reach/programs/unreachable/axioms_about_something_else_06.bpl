function h(int): int;
axiom (forall i: int :: h(i) == 1);
axiom h(3) == 2;

procedure {:entrypoint} main()
{
  assert false;
}
