datatype Shape { Dot(name: int), Box(width: int, name: int), Gap() }
var s: Shape;

procedure {:entrypoint} main()
{
  s := Box(2, 7);
  assert s->name == 7 && s->width == 2;
}
