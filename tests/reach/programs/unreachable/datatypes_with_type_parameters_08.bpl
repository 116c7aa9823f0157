datatype Option<T> { None(), Some(t: T) }
datatype List<T> { Nil(), Cons(head: T, tail: List T) }

procedure First<T>(l: List T) returns (o: Option T)
{
  if (l is Cons) {
    o := Some(l->head);
  } else {
    o := None();
  }
}

procedure {:entrypoint} main()
{
  var o: Option int;
  call o := First(Cons(4, Nil()));
  assert o == Some(4);
}
