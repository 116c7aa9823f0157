// Of the values that these axioms ask for there must be infinitely many.
type List;
function Nil(): List;
function Cons(head: int, tail: List): List;
function Tail(l: List): List;
function Sum(l: List): int;
function Plus(l: List, n: int): int;
axiom (forall h: int, t: List :: Tail(Cons(h, t)) == t);
axiom Sum(Nil()) == 0;
axiom (forall h: int, t: List :: Sum(Cons(h, t)) == h + Sum(t));
axiom (forall h: int, t: List, n: int :: Plus(Cons(h, t), n) == n + Sum(t));

procedure {:entrypoint} main()
{
  var n: int;
  assert Plus(Cons(5, Cons(1, Nil())), n) == n + 5;
}
