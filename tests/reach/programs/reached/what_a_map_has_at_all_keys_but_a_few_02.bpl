function {:smt "default"} mostly(m: [int]int): int;

procedure {:entrypoint} main()
{
  var m: [int]int;
  assume mostly(m) == 0;
  assume (forall k: int :: m[k] <= 7);
  assume (exists k: int :: m[k] > 3);
  assert !(exists k: int :: m[k] > 5);
}
