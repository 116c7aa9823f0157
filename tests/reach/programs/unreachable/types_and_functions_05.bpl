var m: [int,bool]int;

procedure {:entrypoint} main()
{
  m[1, true] := 5;
  m[1, false] := 6;
  assert m[1, true] == 5;
}
