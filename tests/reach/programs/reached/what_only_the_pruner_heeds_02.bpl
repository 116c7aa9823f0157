function f(x: int, y: int): int;
axiom (forall x: int, y: int :: f(x, y) == x - y);
const four: int;
axiom four == 4;
type T;
function {:inline} g(x: int): int { x + 1 }
axiom true;

procedure P(x: int) returns (y: int)
  ensures y == x;
{
  y := x;
}

procedure {:entrypoint} main()
{
  hide f;
  assert f(1, four) == 3;
}
