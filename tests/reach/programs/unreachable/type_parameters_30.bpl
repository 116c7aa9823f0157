// flags: /recursionBound:1
function f<a>(a): int;
axiom (forall x: int :: f(x) == 1);

procedure {:entrypoint} main<a>(x: a)
{
  assert f(x) == f(x);
}
