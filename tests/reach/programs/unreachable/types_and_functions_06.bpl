procedure {:entrypoint} main()
{
  var x: bv8;
  x := 255bv8;
  assert x ++ 0bv8 == 65280bv16 && x[8:4] == 15bv4;
}
