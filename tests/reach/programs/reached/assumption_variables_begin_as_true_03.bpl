var {:assumption} g: bool;

procedure {:entrypoint} main()
{
  assert g;
}
