var g: int;

procedure P();
  modifies g;
  ensures g == old(g) + 1;

procedure {:entrypoint} main()
{
  g := 1;
  call P();
  assert g == 2;
}
