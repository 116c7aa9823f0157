// The answers of Boogie 2.4.1 to the same programs.
procedure C(p: bool);
  requires p;
  ensures false;

procedure {:entrypoint} main()
{
  var p: bool;
  var a: bool;
  call {:verified_under a} C(p);
}
