datatype Option<T> { None(), Some(t: T) }
datatype Pair { Pair(a: int, b: Option int) }

procedure {:entrypoint} main()
{
  var o: Option int;
  None() := o;
  assert o == None();
}
