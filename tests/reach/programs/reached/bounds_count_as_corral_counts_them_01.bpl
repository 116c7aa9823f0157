procedure F(n: int) returns (r: int)
{
  if (n == 0) {
    r := 1;
  } else {
    call r := F(n - 1);
  }
}

procedure {:entrypoint} main()
{
  var f: int;
  call f := F(3);
  assert false;
}
