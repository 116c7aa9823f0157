// Every key but one, which is then set, too.
var seen: [int]bool;

procedure {:entrypoint} Main()
  modifies seen;
{
  var id: int;

  assume (exists k: int :: 0 <= k && !seen[k]);
  assume 0 <= id && !seen[id];
  seen := seen[id := true];
  assert (exists k: int :: 0 <= k && !seen[k]);
}
