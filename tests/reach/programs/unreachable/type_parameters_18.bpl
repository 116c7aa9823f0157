procedure P<a>(x: a) returns (y: a)
{
  y := x;
}

procedure {:entrypoint} main()
{
  var i: int;
  var b: bool;
  call i := P(3);
  call b := P(true);
  assert i == 3 && b;
}
