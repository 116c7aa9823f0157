// Other values than those of the integers: without the second axiom alone.
// flags:
type U;
function In(int): U;
function Out(U): int;
axiom (forall x: int :: { In(x) } Out(In(x)) == x);
var m: [int]U;
var u: U;

procedure {:entrypoint} main()
{
  assert In(Out(u)) == u;
}
