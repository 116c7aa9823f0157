var g: int;
procedure {:entrypoint} main() modifies g; {
  var i: int;
  i := 0; g := 0;
  while (i < 10) { call inc(1); i := i+1; }
  assume g == 10;
  assert {:reached} false;
}
procedure inc(d: int) modifies g; { g := g + d; }
