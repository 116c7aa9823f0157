type Set a;
function in<a>(a, Set a): bool;
function with<a>(Set a, a): Set a;
axiom (forall<a> s: Set a, x: a, y: a :: { in(y, with(s, x)) } in(y, with(s, x)) <==> x == y || in(y, s));

procedure {:entrypoint} main()
{
  var s: Set int;
  assert in(3, with(with(s, 3), 4));
}
