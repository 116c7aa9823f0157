var m: <a>[a]bool;

procedure {:entrypoint} main()
{
  m[1] := true;
  m[true] := false;
  assert m[1] && !m[true];
}
