type C a;
type D;
var x: C D;
var y: C int;

procedure {:entrypoint} main()
{
  var z: C D;
  z := x;
  assert z == x;
}
