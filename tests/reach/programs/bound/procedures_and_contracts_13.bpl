procedure P(n: int) returns (r: int)
{
  if (n == 0) {
    r := 1;
  } else {
    call r := P(n - 1);
    r := r * n;
  }
}

procedure {:entrypoint} main()
{
  var f: int;
  call f := P(4);
  assert f != 24;
}
