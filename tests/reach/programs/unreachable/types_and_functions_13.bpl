function f(x: int): int;
axiom (forall x: int :: f(x) == x * 2);

procedure {:entrypoint} main()
{
  assert f(4) == 8;
}
