procedure {:entrypoint} main()
{
  var x: real;
  assert x ** 2.0 >= 0.0;
}
