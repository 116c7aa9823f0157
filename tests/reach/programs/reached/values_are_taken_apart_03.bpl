// The value must have been made by that constructor.
datatype Option<T> { None(), Some(t: T) }
datatype Pair { Pair(a: int, b: Option int) }

procedure {:entrypoint} main()
{
  var x: int;
  var o: Option int;
  Some(x) := o;
}
