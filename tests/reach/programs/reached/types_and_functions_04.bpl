type M = [int][int]bool;
var m: M;

procedure {:entrypoint} main()
{
  m[1][2] := true;
  assert m[1][2];
  assert !m[1][3];
}
