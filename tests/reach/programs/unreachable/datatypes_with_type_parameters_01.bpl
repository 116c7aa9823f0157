datatype Option<T> { None(), Some(t: T) }
datatype List<T> { Nil(), Cons(head: T, tail: List T) }

procedure {:entrypoint} main()
{
  var o: Option int;
  assume o is Some;
  assert o == Some(o->t) && o != None();
}
