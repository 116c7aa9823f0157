axiom false;

procedure {:entrypoint} main()
{
  assert false;
}
