type float;
function up(int): float;
function down(float): int;
axiom (forall f: float :: up(down(f)) == f);
axiom (forall i: int :: down(up(i)) == i);

procedure {:entrypoint} main()
{
  var x: int;
  assert x > 0;
}
