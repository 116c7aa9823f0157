procedure P() returns (x: int where x > 2);

procedure {:entrypoint} main()
{
  var y: int;
  call y := P();
  assert y > 2;
}
