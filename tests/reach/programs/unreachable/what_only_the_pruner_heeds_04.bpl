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
  var hide: int;
  var is: int;
  var pure: int;
  hide := 1;
  is := hide;
  goto L;
L:
  assert is == 1;
  return;
}
