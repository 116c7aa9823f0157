// As Boogie 2.4 has it, which was asked.
// flags:
axiom {:ignore false} false;

procedure {:entrypoint} main()
{
  assert false;
}
