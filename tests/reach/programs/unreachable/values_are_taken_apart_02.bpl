datatype Option<T> { None(), Some(t: T) }
datatype Pair { Pair(a: int, b: Option int) }

procedure {:entrypoint} main()
{
  var x: int;
  var o: Option int;
  assume o is Some;
  Some(x) := o;
  assert o == Some(x);
}
