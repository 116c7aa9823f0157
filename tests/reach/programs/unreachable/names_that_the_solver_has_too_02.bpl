// The solver has functions of these names; a program may have its own.
datatype D { select(store: int), insert() }

procedure {:entrypoint} main()
{
  var d: D;
  d := select(1);
  assert d->store == 1 && !(d is insert);
}
