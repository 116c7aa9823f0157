var g: int;

procedure P()
  modifies g;
{
  g := g + 1;
  assert g == old(g) + 1;
  g := 7;
  assert old(g) != 3;
}

procedure {:entrypoint} main()
{
  g := 3;
  call P();
}
