// The answers of Boogie 2.4.1 to the same programs.
axiom {:ignore false} false;

procedure {:entrypoint} main()
{
  assert false;
}
