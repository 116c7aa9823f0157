var g: bool;

procedure {:inline 1} get() returns (r: bool)
{
  r := g;
}

procedure {:inline 1} both(a: bool) returns (r: bool)
{
  call r := get();
  if (a) {
    r := r && a;
  } else {
    r := false;
  }
}

procedure {:entrypoint} main()
{
  assert (forall b: bool :: g && b ==> |{   var l: bool;
A:
  call l := both(b);
  return l;
 }|);
}
