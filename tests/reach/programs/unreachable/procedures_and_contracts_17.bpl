procedure {:entrypoint} main()
{
  var x: int where x > 0;
  x := 0;
  havoc x;
  assert x > 0;
}
