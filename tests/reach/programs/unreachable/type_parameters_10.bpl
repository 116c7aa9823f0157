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
  g := h[r, age := 7];
  assert (forall<a> o: Ref, f: Field a :: g[o, f] == h[o, f] || (o == r && f == age));
}
