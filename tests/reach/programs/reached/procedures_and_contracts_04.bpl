procedure P() returns (r: int)
  ensures r > 0;
{
  r := 0;
}

procedure {:entrypoint} main()
{
  var y: int;
  call y := P();
}
