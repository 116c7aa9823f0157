function {:smt "default"} mostly(m: [int]int): int;

procedure {:entrypoint} main()
{
  var m: [int]int;
  assume mostly(m) == 0;
  m[3] := 5;
  m[4] := 6;
  assert mostly(m) == 0;
}
