procedure K(i: int, j: int) returns (r: int)
  requires i < j;
  requires j < 10;
{
  r := j - i;
}

procedure {:entrypoint} main()
{
  var i: int;
  var j: int;
  var d: int;
  free call d := K(i, j);
  assert j < 9;
}
