procedure {:entrypoint} main()
{
  var x: int;
  if (*) {
    x := 1;
  } else if (*) {
    x := 2;
  } else {
    x := 3;
  }
  assert x < 3;
}
