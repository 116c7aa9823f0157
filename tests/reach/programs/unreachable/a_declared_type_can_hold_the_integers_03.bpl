// flags:
type U;
function In(int): U;
function Out(U): int;
axiom (forall x: int :: { In(x) } Out(In(x)) == x);
var m: [int]U;
var u: U;

procedure {:entrypoint} main()
{
  assert In(3) != In(4);
}
