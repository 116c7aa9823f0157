// A procedure that may fail, one without a body, and two calls that share a copy of the callee.
var g: int;

procedure inner(n: int) returns (r: int)
  requires n > 0;
  modifies g;
{
  g := g + n;
  call r := outside(n);
}

procedure outside(n: int) returns (r: int);
  free ensures r >= n;

procedure {:entrypoint} main(n: int)
  modifies g;
{
  var r: int;

  if (n > 3) {
    call r := inner(n);
  } else {
    call r := inner(1);
  }
  call {:cexpr "g"} boogie_si_record_int(g);
  assert r > old(g);
}

procedure boogie_si_record_int(x: int);
