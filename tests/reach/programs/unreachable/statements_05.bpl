procedure {:entrypoint} main()
{
  var x: int;
  havoc x;
  assume x > 5;
  assert x > 4;
}
