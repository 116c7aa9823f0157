datatype Option<T> { None(), Some(t: T) }
datatype List<T> { Nil(), Cons(head: T, tail: List T) }

procedure {:entrypoint} main()
{
  var l: List (Option bool);
  assume l is Cons && l->tail is Nil;
  assert Cons(l->head, Nil()) == l;
}
