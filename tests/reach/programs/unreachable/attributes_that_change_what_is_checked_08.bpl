// The answers of Boogie 2.4.1 to the same programs.
procedure C(p: bool);
  requires p;
  ensures false;

procedure {:entrypoint} main()
{
  call {:verified_under true} C(*);
}
