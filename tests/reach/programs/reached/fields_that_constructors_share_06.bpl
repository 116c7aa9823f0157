// Which name a value without one has is not known.
datatype Shape { Dot(name: int), Box(width: int, name: int), Gap() }
var s: Shape;

procedure {:entrypoint} main()
{
  assume s is Gap;
  assert s->name == 0;
}
