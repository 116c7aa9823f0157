procedure {:entrypoint} main()
{
  var b: bool;
  assert (if b then 1 else 2) == 1;
}
