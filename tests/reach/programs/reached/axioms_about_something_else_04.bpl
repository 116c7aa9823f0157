function fib(n: int): int { if n < 2 then n else fib(n - 1) + fib(n - 2) }

procedure {:entrypoint} main()
{
  var x: int;
  assert x > 0;
}
