datatype Option<T> { None(), Some(t: T) }
datatype Pair { Pair(a: int, b: Option int) }

procedure {:entrypoint} main()
{
  var x: int;
  var o: Option int;
  Pair(x, o) := Pair(3, Some(4));
  assert x == 3 && o->t == 4;
}
