procedure {:entrypoint} main()
{
  var x: int;
  x := 4;
  assert (var x := x + 1; (forall y: int :: y == x ==> (var x := x + y; x == 10)));
}
