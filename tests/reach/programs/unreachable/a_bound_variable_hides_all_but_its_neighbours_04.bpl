function f(x: int): int { (var x := x + 4; x - 2) }

procedure {:entrypoint} main()
{
  assert f(1) == 3 && (exists x: int :: (forall x: int :: x == x) && x == 2);
}
