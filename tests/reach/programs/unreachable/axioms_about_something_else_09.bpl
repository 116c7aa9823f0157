type T;
const a: T;
const b: T;
axiom (forall x: T :: x == a || x == b);

procedure {:entrypoint} main()
{
  var x: T;
  var y: T;
  var z: T;
  assert x == y || y == z || x == z;
}
