// On both ways an execution goes on behind a call whose result is overwritten on one of them.
var a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p: int;

procedure count()
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  a, b, c, d, e, f, g, h := b, c, d, e, f, g, h, a + 1;
  i, j, k, l, m, n, o, p := j, k, l, m, n, o, p, i;
  if (a > 100) { a := 0; } else { call rest(); }
}

procedure rest()
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  a, b, c, d, e, f, g, h := 1, 2, 3, 4, 5, 6, 7, 8;
  i, j, k, l, m, n, o, p := 9, 10, 11, 12, 13, 14, 15, 16;
}

procedure {:entrypoint} main()
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  var way: bool;
  a := 0;
  b := 0;
  call count();
  if (way) { a := 5; }
  assert a == 1;
  assert b == 2 && p == 16;
}
