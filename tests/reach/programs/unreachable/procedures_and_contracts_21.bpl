// The entry's own precondition is assumed.
procedure Q()
{
}

procedure {:entrypoint} main()
{
  call Q();
}
