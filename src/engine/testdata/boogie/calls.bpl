type Ref;
var m: [int]int; var n: [int][int]bool; var r: Ref; var g: int; var a: [Ref]int; var rl: real; var bv: bv8;
procedure boogie_si_record_int(x: int);
procedure boogie_si_record_bool(x: bool);
procedure boogie_si_record_m(x: [int]int);
procedure boogie_si_record_n(x: [int][int]bool);
procedure boogie_si_record_r(x: Ref);
procedure boogie_si_record_real(x: real);
procedure boogie_si_record_bv(x: bv8);
procedure A.rec(k: int) modifies g;
{
  call {:cexpr "k"} boogie_si_record_int(k);
  if (k > 0) { call A.rec(k-1); } else { g := g + 1; }
}
procedure {:entrypoint} C.q() modifies g, m, n, bv;
{
  var i: int;
  g := 0; i := 0; 
  call {:cexpr "g0"} boogie_si_record_int(g);
  while (i < 2) { call {:cexpr "i"} boogie_si_record_int(i); call A.rec(i); i := i + 1; }
  m := m[2 := 5]; n[1][2] := true; assume m[3] == 7;
  bv := 7bv8;
  assume rl < 0.0;
  call {:cexpr "b"} boogie_si_record_bool(g == 2);
  goto l1, l2;
 l1: assume i == 2; goto done;
 l2: assume i == 3; goto done;
 done:
  assert {:reached} false;
}
