var m: <a>[a]bool;

procedure {:entrypoint} main()
{
  m[3] := true;
  assert (forall<t> x: t :: m[x]);
}
