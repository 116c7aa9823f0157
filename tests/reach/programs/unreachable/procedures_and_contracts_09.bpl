var g: int;
var h: int;

procedure P();
  modifies g;

procedure {:entrypoint} main()
{
  h := 1;
  g := 1;
  call P();
  assert h == 1;
}
