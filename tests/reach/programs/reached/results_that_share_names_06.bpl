// The same without a call: where ways meet that lead to the failure.
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
  var other: bool;
  call step();
  if (way) {
    if (other) { a := 2 * b; } else { a := 3 * c; }
    assert false;
  } else {
    a := a + 1;
  }
}

procedure {:entrypoint} main()
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  call sub(true);
}
