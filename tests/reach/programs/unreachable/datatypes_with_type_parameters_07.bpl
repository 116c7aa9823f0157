datatype Option<T> { None(), Some(t: T) }
datatype List<T> { Nil(), Cons(head: T, tail: List T) }

procedure {:entrypoint} main()
{
  var o: Option int;
  var p: Option bool;
  o, p := Some(1), Some(false);
  assert o->t == 1 && !p->t;
}
