type Field a;
type Inner a = <b>[Field b, Field a]a;

var maps: <a>[Field a](Inner a);

procedure {:entrypoint} main(g: Field int, h: Field bool)
{
  assert maps[g][h, g] == maps[g][g, g];
}
