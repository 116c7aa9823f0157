// Of powers nothing is known but that they are the same of the same.
procedure {:entrypoint} main()
{
  var x: real;
  var y: real;
  assume x == y;
  assert x ** 2.0 == y ** 2.0;
}
