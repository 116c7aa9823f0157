// flags: /recursionBound:1 /lib:base
// says: lib:base(59,10): Error: more than one declaration of type: Option (the first is at library_of_boogie_02.bpl(3,10))
datatype Option<T> { Nothing(), Just(t: T) }

procedure {:entrypoint} main(o: Option int)
{
  assert o is Just;
}
