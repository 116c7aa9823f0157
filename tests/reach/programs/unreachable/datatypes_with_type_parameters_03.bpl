datatype Option<T> { None(), Some(t: T) }
datatype List<T> { Nil(), Cons(head: T, tail: List T) }

procedure {:entrypoint} main()
{
  var o: Option int;
  assert o is None || o is Some;
}
