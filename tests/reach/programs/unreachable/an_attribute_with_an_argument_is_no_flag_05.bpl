// As Boogie 2.4 has it, which was asked.
// flags:
axiom {:ignore 1} false;

procedure {:entrypoint} main()
{
  assert false;
}
