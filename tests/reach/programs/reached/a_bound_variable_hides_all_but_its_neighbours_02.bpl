procedure {:entrypoint} main()
{
  var x: int;
  assert (forall x: int :: x == 0);
}
