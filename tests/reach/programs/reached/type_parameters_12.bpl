// Two heaps may differ in a field of a type that is used nowhere else.
type Ref;
type Field a;
type Heap = <a>[Ref,Field a]a;
const unique age: Field int;
const unique size: Field int;
const unique alive: Field bool;
const unique next: Field Ref;

procedure {:entrypoint} main()
{
  var h: Heap;
  var g: Heap;
  var r: Ref;
  assume h[r, age] == g[r, age] && h[r, alive] == g[r, alive];
  assert g == h;
}
