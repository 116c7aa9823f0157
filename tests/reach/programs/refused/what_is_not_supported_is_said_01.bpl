// flags: /recursionBound:1
// says: a map with type parameters that holds maps of its own type is not supported
var h: <a>[int]a;

procedure {:entrypoint} main()
{
  h[1] := h;
  assert false;
}
