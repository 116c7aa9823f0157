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
  var r: Ref;
  var q: Ref;
  h[r, next] := q;
  h[h[r, next], age] := 5;
  assert h[q, age] == 5;
}
