// Two instances at once, and one in the other's map.
datatype Option<T> { None(), Some(t: T) }
datatype List<T> { Nil(), Cons(head: T, tail: List T) }

procedure {:entrypoint} main()
{
  var m: [Option int]List int;
  m[None()] := Cons(3, Nil());
  assert m[None()]->head == 3;
  assert m[Some(0)] is Nil;
}
