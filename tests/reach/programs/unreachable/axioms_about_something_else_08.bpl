// By way of another axiom, or of a type only.
const a: int;
const b: int;
axiom a == b;
axiom b == 3;

procedure {:entrypoint} main()
{
  assert a == 3;
}
