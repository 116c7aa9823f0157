const unique C.a: int;
var g: int;
procedure boogie_si_record_int(x: int);
procedure boogie_si_record_bool(x: bool);
procedure {:entrypoint} main() modifies g; {
  var x: int;
  var b: bool;
  havoc x;
  assume x > 0;
  g := 0;
  call inc(x);
  call inc(x);
  call {:cexpr "g"} boogie_si_record_int(g);
  call {:cexpr "b"} boogie_si_record_bool(b);
  call {:cexpr "neg"} boogie_si_record_int(0 - g);
  assume g == 10;
  assert {:reached} false;
}
procedure inc(d: int) modifies g; { g := g + d; }
