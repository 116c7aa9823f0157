function f(x: int): int { x + 1 }

procedure {:entrypoint} main()
{
  assert f(f(1)) == 3;
}
