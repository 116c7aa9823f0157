// Through a type that the body does not mention.
type W a;
function w<a>(a): W a;
function n<a>(W a): int;
function g<a>(a): int;
axiom (forall<a> x: W a :: n(x) == 4);
axiom (forall<a> x: a :: g(x) == n(w(x)));

procedure {:entrypoint} main()
{
  assert g(true) == 4;
}
