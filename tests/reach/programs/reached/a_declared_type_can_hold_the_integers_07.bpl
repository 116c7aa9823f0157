// flags:
type U;
function In(int): U;
function Out(U): int;
axiom (forall x: int :: { In(x) } Out(In(x)) == x);
var m: [int]U;
var u: U;
axiom (forall v: U :: In(Out(v)) == v);

procedure {:entrypoint} main()
{
  assert (forall v: U :: v == u);
}
