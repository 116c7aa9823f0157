// A frame: everything of the old heap is as it was, but for one field of one object.
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
  var q: Ref;
  assume (forall<a> o: Ref, f: Field a :: g[o, f] == h[o, f] || (o == r && f == age));
  assume q != r;
  assert g[q, age] == h[q, age] && g[q, alive] == h[q, alive] && g[r, next] == h[r, next];
}
