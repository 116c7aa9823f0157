function Twice(n: int): int { if n <= 0 then 0 else Twice(n - 1) + 2 }

procedure {:entrypoint} main()
{
  var n: int;
  assume 0 < n && n < 5;
  assert Twice(n) != 6;
}
