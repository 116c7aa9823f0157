// Ways that meet: a name for what is different on each, and sums with an indicator.
procedure {:entrypoint} main(x: int, b: bool)
{
  var y, z: int;

  y := x;
  z := x;
  if (b) {
    y := y + 1;
  } else {
    z := z * 2;
  }
  if (y > 3) {
    y := y + 2;
  }
  assert y != 7;
}
