procedure {:entrypoint} main()
{
  var {:assumption} a: bool;
  assert a;
}
