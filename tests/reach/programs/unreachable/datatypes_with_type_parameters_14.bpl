// flags: /main:P
datatype Option<T> { None(), Some(t: T) }
datatype List<T> { Nil(), Cons(head: T, tail: List T) }

procedure P<T>(l: List T)
{
  assert l is Cons ==> l->tail != l;
}
