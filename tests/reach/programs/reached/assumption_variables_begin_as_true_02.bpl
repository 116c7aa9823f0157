procedure {:entrypoint} main()
{
  var {:assumption} a: bool;
  var x: int;
  a := a && x > 0;
  assert a;
}
