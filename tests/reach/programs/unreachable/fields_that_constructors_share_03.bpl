datatype Shape { Dot(name: int), Box(width: int, name: int), Gap() }
var s: Shape;

procedure {:entrypoint} main()
{
  s := Box(2, 7);
  s->name := 3;
  assert s == Box(2, 3);
}
