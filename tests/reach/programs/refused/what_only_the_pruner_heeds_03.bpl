// says: expected `)`, found `is_ok`
function f(x, y: int): int uses { axiom (forall x, y: int :: f(x, y) == x - y); } const four: int uses { hideable axiom four == 4; } type finite T; revealed function {:inline} g(x: int): int { x + 1 } uses { axiom true; } pure procedure P(x: int) returns (y: int) ensures y == x; { y := x; }
procedure {:entrypoint} main() { var hide, is, pure: int; hide, is, pure := 1, 2, 3; if {:x} (is is_ok) { } }
