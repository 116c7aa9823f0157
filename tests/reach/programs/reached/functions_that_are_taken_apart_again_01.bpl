// Of the values that these axioms ask for there must be infinitely many.
type Pair a b;
function Both<a, b>(x: a, y: b): Pair a b;
function First<a, b>(p: Pair a b): a;
function Second<a, b>(p: Pair a b): b;
axiom (forall<a, b> x: a, y: b :: First(Both(x, y)) == x);
axiom (forall<a, b> x: a, y: b :: y == Second(Both(x, y)));

procedure {:entrypoint} main()
{
  var x: int;
  var y: int;
  assert First(Both(x, Both(y, true))) == y;
}
