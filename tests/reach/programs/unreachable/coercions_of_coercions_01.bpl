function any<a>(): a;

procedure {:entrypoint} main(x: int)
{
  assert x: int: int: int == x;
  assert (any(): int): int == any(): int;
}
