// The answers of Boogie 2.4.1 to the same programs.
// flags: /main:P /recursionBound:3
procedure {:selective_checking} P()
{
  var x: int;
  var y: int;
  var z: int;
  assert x < y;
  if (*) {
    assume {:start_checking_here} true;
  }
  assert x < z;
}
