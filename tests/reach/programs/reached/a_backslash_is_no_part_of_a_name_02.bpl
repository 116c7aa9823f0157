function \old(x: int): int { x }

procedure {:entrypoint} main()
{
  var y: int;
  y := \old(3);
  assert y == 4;
}
