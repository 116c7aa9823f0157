// flags: /recursionBound:1 --unbounded
procedure E(n: int) returns (r: bool)
{
  if (n == 0) {
    r := true;
  } else {
    call r := O(n - 1);
  }
}

procedure O(n: int) returns (r: bool)
{
  if (n == 0) {
    r := false;
  } else {
    call r := E(n - 1);
  }
}

procedure {:entrypoint} main()
{
  var f: bool;
  call f := E(4);
  assert false;
}
