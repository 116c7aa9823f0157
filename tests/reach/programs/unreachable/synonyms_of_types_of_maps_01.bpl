// A synonym is applied to the type parameter of a map around it, and has maps with type parameters of its own.
type Field a;
type Twice a = Field (Field a);
type Inner a = <b>[Field b, Field a]a;

var heap: <a>[Twice a]a;
var maps: <a>[Field a](Inner a);

procedure {:entrypoint} main(f: Field (Field int), g: Field int, h: Field bool)
  modifies heap, maps;
{
  heap[f] := 3;
  assert heap[f] == 3;
  maps[g][h, g] := 4;
  assert maps[g][h, g] == 4;
}
