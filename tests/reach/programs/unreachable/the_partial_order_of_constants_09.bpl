type T;
const unique animal: T extends complete;
const unique bird: T extends unique animal;
const unique fish: T extends unique animal;
const unique eel: T extends fish complete;
const loose: T;

procedure {:entrypoint} main()
{
  var x: T;
  var y: T;
  var z: T;
  assume x <: y && y <: z;
  assert x <: z;
  assume z <: x;
  assert x == y;
}
