var g: int where g > 0;

procedure {:entrypoint} main()
{
  assert g > 0;
}
