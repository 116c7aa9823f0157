var m: [int]int;

procedure {:entrypoint} main()
{
  assume (forall i: int :: m[i] > 0);
  assert m[3] > 0;
}
