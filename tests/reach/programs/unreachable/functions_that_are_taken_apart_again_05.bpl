// Of the values that these axioms ask for there must be infinitely many.
type Box;
function Wrap<a>(x: a): Box;
function Unwrap<a>(b: Box): a;
axiom (forall<a> x: a :: Unwrap(Wrap(x)) == x);

procedure {:entrypoint} main()
{
  var b: Box;
  b := Wrap(Wrap(3));
  assert Unwrap(Unwrap(b): Box) == 3;
}
