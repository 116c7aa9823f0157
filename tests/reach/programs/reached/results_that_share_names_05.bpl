// A call whose results would have the names of the procedure's own, on a way that only leads to a failure.
var a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p: int;

procedure step()
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  a := a + 7;
  b, c, d, e, f, g, h := c, d, e, f, g, h, b;
  i, j, k, l, m, n, o, p := j, k, l, m, n, o, p, i;
}

procedure sub(way: bool)
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  if (way) { call step(); assert false; } else { a := a + 1; }
}

procedure {:entrypoint} main()
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  call sub(true);
}
