datatype Inner { Inner(m: [int]int) }
datatype Outer { Outer(inner: Inner, k: int) }
var a: [int]Outer;

procedure {:entrypoint} main()
{
  var b: [int]Outer;
  b := a;
  a[1]->inner->m[2] := 5;
  assert a[1]->inner->m[2] == 5 && a[1]->k == b[1]->k;
  assert a[0] == b[0];
  assert a[1]->inner->m[3] == b[1]->inner->m[3];
}
