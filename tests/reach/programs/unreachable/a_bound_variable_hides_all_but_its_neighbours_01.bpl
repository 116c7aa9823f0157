var x: int;

procedure {:entrypoint} main()
{
  assert (forall x: int :: x == x);
}
