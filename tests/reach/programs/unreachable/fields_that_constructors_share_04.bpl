datatype Shape { Dot(name: int), Box(width: int, name: int), Gap() }
var s: Shape;

procedure {:entrypoint} main()
{
  s := Dot(2);
  s->name := 3;
  assert s == Dot(3);
}
