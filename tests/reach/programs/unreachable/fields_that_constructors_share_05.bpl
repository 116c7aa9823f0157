datatype Shape { Dot(name: int), Box(width: int, name: int), Gap() }
var s: Shape;

procedure {:entrypoint} main()
{
  assume s is Box;
  assert s->(name := 1)->(width := 2) == Box(2, 1);
}
