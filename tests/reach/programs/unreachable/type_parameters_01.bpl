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
  h[r, age] := 3;
  h[r, alive] := true;
  assert h[r, age] == 3 && h[r, alive];
}
