// flags: /recursionBound:1
procedure {:SIextraRecBound 3} Count(n: int) returns (r: int)
{
  if (n <= 0) {
    r := 0;
  } else {
    call r := Count(n - 1);
    r := r + 1;
  }
}

procedure {:entrypoint} main()
{
  var r: int;
  call r := Count(4);
  assert r != 4;
}
