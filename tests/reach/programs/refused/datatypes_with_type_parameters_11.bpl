// says: the datatype D has no value
datatype D { C(d: D) }

procedure {:entrypoint} main()
{
  var d: D;
  assert d == d;
}
