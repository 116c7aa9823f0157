var g: int;
var h: int;

procedure P();
  modifies g;

procedure {:entrypoint} main()
{
  g := 1;
  call P();
  assert g == 1;
}
