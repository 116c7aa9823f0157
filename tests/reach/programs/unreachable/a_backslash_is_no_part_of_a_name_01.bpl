var x: int;
var \assume: int;

procedure {:entrypoint} main()
{
  x := 1;
  \assume := x;
  assert \assume == x;
}
