function f(x: int): int;
axiom f(1) == 2;

procedure {:entrypoint} main()
{
  assert f(1) == 2;
}
