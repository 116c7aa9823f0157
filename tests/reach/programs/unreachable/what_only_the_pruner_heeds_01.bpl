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
  var x: int;
  hide *;
  push;
  reveal f;
  assert f(four, 3) == 1;
  pop;
  call x := P(g(3));
  assert x == four;
}
