// The older form.
type {:datatype} Pair a b;
function {:constructor} Pair<x, y>(one: y, two: x): Pair y x;

procedure {:entrypoint} main()
{
  var p: Pair int bool;
  p := Pair(1, true);
  assert one#Pair(p) == 1 && p->two && is#Pair(p);
}
