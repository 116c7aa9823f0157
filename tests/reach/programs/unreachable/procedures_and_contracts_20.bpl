procedure P() returns (x: int, y: int)
{
  x := 1;
  y := 2;
}

procedure {:entrypoint} main()
{
  var z: int;
  call *, z := P();
  assert z == 2;
}
