procedure P() returns (r: int)
  free ensures r > 5;
{
}

procedure {:entrypoint} main()
{
  var y: int;
  call y := P();
  assert y > 4;
}
