// Eleven levels of calls with two callees each: inlined at once, that would be more than two thousand procedures.
// What each promises is enough for a proof; without it all would have to be inlined.
function step(x: int): int;
axiom (forall x: int :: {step(x)} step(x) >= 0 && step(x) <= 1);

procedure a0(x: int) returns (r: int)
  free ensures r <= x + 11;
{
  if (x == 0) { call r := a1(x + 1); } else { call r := b1(x); }
}

procedure a1(x: int) returns (r: int)
  free ensures r <= x + 10;
{
  if (x == 1) { call r := a2(x + 1); } else { call r := b2(x); }
}

procedure b1(x: int) returns (r: int)
  free ensures r <= x + 10;
{
  if (x == 1) { call r := a2(x + 1); } else { call r := b2(x); }
}

procedure a2(x: int) returns (r: int)
  free ensures r <= x + 9;
{
  if (x == 2) { call r := a3(x + 1); } else { call r := b3(x); }
}

procedure b2(x: int) returns (r: int)
  free ensures r <= x + 9;
{
  if (x == 2) { call r := a3(x + 1); } else { call r := b3(x); }
}

procedure a3(x: int) returns (r: int)
  free ensures r <= x + 8;
{
  if (x == 3) { call r := a4(x + 1); } else { call r := b4(x); }
}

procedure b3(x: int) returns (r: int)
  free ensures r <= x + 8;
{
  if (x == 3) { call r := a4(x + 1); } else { call r := b4(x); }
}

procedure a4(x: int) returns (r: int)
  free ensures r <= x + 7;
{
  if (x == 4) { call r := a5(x + 1); } else { call r := b5(x); }
}

procedure b4(x: int) returns (r: int)
  free ensures r <= x + 7;
{
  if (x == 4) { call r := a5(x + 1); } else { call r := b5(x); }
}

procedure a5(x: int) returns (r: int)
  free ensures r <= x + 6;
{
  if (x == 5) { call r := a6(x + 1); } else { call r := b6(x); }
}

procedure b5(x: int) returns (r: int)
  free ensures r <= x + 6;
{
  if (x == 5) { call r := a6(x + 1); } else { call r := b6(x); }
}

procedure a6(x: int) returns (r: int)
  free ensures r <= x + 5;
{
  if (x == 6) { call r := a7(x + 1); } else { call r := b7(x); }
}

procedure b6(x: int) returns (r: int)
  free ensures r <= x + 5;
{
  if (x == 6) { call r := a7(x + 1); } else { call r := b7(x); }
}

procedure a7(x: int) returns (r: int)
  free ensures r <= x + 4;
{
  if (x == 7) { call r := a8(x + 1); } else { call r := b8(x); }
}

procedure b7(x: int) returns (r: int)
  free ensures r <= x + 4;
{
  if (x == 7) { call r := a8(x + 1); } else { call r := b8(x); }
}

procedure a8(x: int) returns (r: int)
  free ensures r <= x + 3;
{
  if (x == 8) { call r := a9(x + 1); } else { call r := b9(x); }
}

procedure b8(x: int) returns (r: int)
  free ensures r <= x + 3;
{
  if (x == 8) { call r := a9(x + 1); } else { call r := b9(x); }
}

procedure a9(x: int) returns (r: int)
  free ensures r <= x + 2;
{
  if (x == 9) { call r := a10(x + 1); } else { call r := b10(x); }
}

procedure b9(x: int) returns (r: int)
  free ensures r <= x + 2;
{
  if (x == 9) { call r := a10(x + 1); } else { call r := b10(x); }
}

procedure a10(x: int) returns (r: int)
  free ensures r <= x + 1;
{
  r := x + step(x);
}

procedure b10(x: int) returns (r: int)
  free ensures r <= x + 1;
{
  r := x + step(x);
}

procedure {:entrypoint} main()
{
  var r: int;
  call r := a0(0);
  assert r <= 11;
}
