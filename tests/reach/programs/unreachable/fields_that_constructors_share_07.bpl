datatype Shape { Dot(name: int), Box(width: int, name: int), Gap() }
var s: Shape;

procedure {:entrypoint} main()
{
  assert !(s->(name := 1) is Gap);
}
