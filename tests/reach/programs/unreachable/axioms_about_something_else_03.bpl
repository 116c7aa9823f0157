// They matter where they are connected with what is asked.
type float;
function up(int): float;
function down(float): int;
axiom (forall f: float :: up(down(f)) == f);
axiom (forall i: int :: down(up(i)) == i);

procedure {:entrypoint} main()
{
  var f: float;
  var g: float;
  assume down(f) == down(g);
  assert f == g;
}
