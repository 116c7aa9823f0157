// One copy of a callee for calls on ways that exclude each other; behind one of them a result is overwritten. A result by name goes to a
// global that the callee writes, too.
var a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p: int;

procedure set(value: int) returns (before: int)
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  before := a;
  a, b, c, d, e, f, g, h := value, b, c, d, e, f, g, h;
  i, j, k, l, m, n, o, p := i, j, k, l, m, n, o, p;
  call all();
}

procedure all()
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  b, c, d, e, f, g, h := 2, 3, 4, 5, 6, 7, 8;
  i, j, k, l, m, n, o, p := 9, 10, 11, 12, 13, 14, 15, 16;
}

procedure two_ways(way: bool)
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  if (way) {
    call a := set(7);
  } else {
    call b := set(8);
    c := 30;
  }
}

procedure {:entrypoint} main()
  modifies a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
{
  var way: bool;
  a := 1;
  call two_ways(way);
  if (way) { assert a == 1 && b == 2 && c == 3; }
  else { assert a == 8 && b == 1 && c == 30; }
  assert p == 16;
}
