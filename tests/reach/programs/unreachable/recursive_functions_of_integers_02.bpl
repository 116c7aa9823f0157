function Twice(n: int): int { if n <= 0 then 0 else Twice(n - 1) + 2 }

procedure {:entrypoint} main()
{
  assert Twice(4) == 8;
}
