// flags: /recursionBound:1 /lib
// What the program declares itself is its own, as long as the library has it not.
type Vec;
function Vec_Len(v: Vec): int;
axiom (forall v: Vec :: Vec_Len(v) == 2);

procedure {:entrypoint} main(v: Vec)
{
  assert Vec_Len(v) == 2;
}
