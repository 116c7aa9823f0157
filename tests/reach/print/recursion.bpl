// A procedure that calls itself.
procedure down(n: int) returns (r: int)
{
  if (n <= 0) {
    r := 0;
  } else {
    call r := down(n - 1);
    r := r + 1;
  }
}

procedure {:entrypoint} main(n: int)
{
  var r: int;

  call r := down(n);
  assert r == n;
}
