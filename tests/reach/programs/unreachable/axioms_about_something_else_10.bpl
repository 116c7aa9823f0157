function f(x: int): int { g(x) }
function g(int): int;
axiom (forall x: int :: g(x) > 0);

procedure {:entrypoint} main()
{
  assert f(7) > 0;
}
