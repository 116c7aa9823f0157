// Type parameters, a datatype, functions with and without a definition, a quantifier.
type Ref;
type Field a;
type Heap = <a>[Ref, Field a]a;
const unique age: Field int;
const limit: int;
axiom limit == 10;
datatype Option<T> { None(), Some(value: T) }
function twice(x: int): int { x + x }
function f(x: int): int;
axiom (forall x: int :: {f(x)} f(x) >= 0);
var heap: Heap;

procedure pick<T>(o: Option T, default: T) returns (r: T)
{
  r := if o is Some then o->value else default;
}

procedure {:entrypoint} main(o: Ref)
  modifies heap;
{
  var n: int;

  call n := pick(Some(3), 4);
  heap[o, age] := twice(n);
  assert f(heap[o, age]) > limit;
}
