datatype Inner { Inner(m: [int]int) }
var a: [int]Inner;

procedure {:entrypoint} main()
{
  a[1]->m[2] := 5;
  assert a[1]->m[3] == 0;
}
