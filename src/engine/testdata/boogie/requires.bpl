procedure p(x: int) returns (y: int) requires x > 0; ensures y > x;
{ y := x; assert x > 5; if (x == 7) { assert false; } }
procedure {:entrypoint} main() {
  var x: int; var y: int;
  call y := p(x);
  assume y > 100;
  assert {:reached} false;
}
