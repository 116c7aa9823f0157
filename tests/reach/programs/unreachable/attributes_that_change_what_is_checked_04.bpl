// The answers of Boogie 2.4.1 to the same programs.
procedure {:entrypoint} main()
{
  var p: bool;
  var a: bool;
  assume a || p;
  assert {:verified_under a} p;
  assert p;
}
