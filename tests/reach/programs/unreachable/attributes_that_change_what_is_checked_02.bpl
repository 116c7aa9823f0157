// The answers of Boogie 2.4.1 to the same programs.
procedure {:entrypoint} main()
{
  assert {:verified_under true} false;
  assert false;
}
