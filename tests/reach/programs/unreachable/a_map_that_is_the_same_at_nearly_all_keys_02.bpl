// No map of a simple shape does this, and no other one either.
var seen: [int]bool;

procedure {:entrypoint} Main()
  modifies seen;
{
  var id: int;

  assume (forall k: int :: 0 <= k ==> seen[k]);
  assume 0 <= id && !seen[id];
  assert false;
}
