// Z3 finds no model of this axiom, so that whether it can hold everywhere is not known.
// Eleven levels of calls with two callees each: inlined at once, that would be more than two thousand procedures.
function step(x: int): int;
axiom (forall x: int :: {step(x)} step(x) > x);

procedure a0(x: int) returns (r: int)
{
  if (x == 0) { call r := a1(x + 1); } else { call r := b1(x); }
}

procedure a1(x: int) returns (r: int)
{
  if (x == 1) { call r := a2(x + 1); } else { call r := b2(x); }
}

procedure b1(x: int) returns (r: int)
{
  if (x == 1) { call r := a2(x + 1); } else { call r := b2(x); }
}

procedure a2(x: int) returns (r: int)
{
  if (x == 2) { call r := a3(x + 1); } else { call r := b3(x); }
}

procedure b2(x: int) returns (r: int)
{
  if (x == 2) { call r := a3(x + 1); } else { call r := b3(x); }
}

procedure a3(x: int) returns (r: int)
{
  if (x == 3) { call r := a4(x + 1); } else { call r := b4(x); }
}

procedure b3(x: int) returns (r: int)
{
  if (x == 3) { call r := a4(x + 1); } else { call r := b4(x); }
}

procedure a4(x: int) returns (r: int)
{
  if (x == 4) { call r := a5(x + 1); } else { call r := b5(x); }
}

procedure b4(x: int) returns (r: int)
{
  if (x == 4) { call r := a5(x + 1); } else { call r := b5(x); }
}

procedure a5(x: int) returns (r: int)
{
  if (x == 5) { call r := a6(x + 1); } else { call r := b6(x); }
}

procedure b5(x: int) returns (r: int)
{
  if (x == 5) { call r := a6(x + 1); } else { call r := b6(x); }
}

procedure a6(x: int) returns (r: int)
{
  if (x == 6) { call r := a7(x + 1); } else { call r := b7(x); }
}

procedure b6(x: int) returns (r: int)
{
  if (x == 6) { call r := a7(x + 1); } else { call r := b7(x); }
}

procedure a7(x: int) returns (r: int)
{
  if (x == 7) { call r := a8(x + 1); } else { call r := b8(x); }
}

procedure b7(x: int) returns (r: int)
{
  if (x == 7) { call r := a8(x + 1); } else { call r := b8(x); }
}

procedure a8(x: int) returns (r: int)
{
  if (x == 8) { call r := a9(x + 1); } else { call r := b9(x); }
}

procedure b8(x: int) returns (r: int)
{
  if (x == 8) { call r := a9(x + 1); } else { call r := b9(x); }
}

procedure a9(x: int) returns (r: int)
{
  if (x == 9) { call r := a10(x + 1); } else { call r := b10(x); }
}

procedure b9(x: int) returns (r: int)
{
  if (x == 9) { call r := a10(x + 1); } else { call r := b10(x); }
}

procedure a10(x: int) returns (r: int)
{
  if (step(x) > 0) { r := x + 1; } else { r := x; }
}

procedure b10(x: int) returns (r: int)
{
  if (step(x) > 0) { r := x + 1; } else { r := x; }
}

procedure {:entrypoint} main()
{
  var r: int;
  call r := a0(0);
  assert r != 11;
}
