var m: <a>[a]bool;

procedure {:entrypoint} main()
{
  assume (forall<t> x: t :: m[x]);
  assert m[3] && m[true];
}
