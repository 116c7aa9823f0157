datatype Shape { Dot(name: int), Box(width: int, name: int), Gap() }
var s: Shape;

procedure {:entrypoint} main()
{
  s := Dot(5);
  assert s->name == 5;
}
