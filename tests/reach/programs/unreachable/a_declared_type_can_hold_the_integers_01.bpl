// flags:
type U;
function In(int): U;
function Out(U): int;
axiom (forall x: int :: { In(x) } Out(In(x)) == x);
var m: [int]U;
var u: U;

procedure {:entrypoint} main()
{
  m[0] := In(3);
  assert Out(m[0]) == 3;
}
