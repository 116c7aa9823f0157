// What `/lib:base` of Boogie declares, written anew from what its names mean. Parts are separated by blank lines; a program
// gets those parts that it mentions, and the parts that these mention.

function {:builtin "MapConst"} MapConst<T, U>(value: U): [T]U;

function {:builtin "MapEq"} MapEq<T, U>(a: [T]U, b: [T]U): [T]bool;

function {:builtin "MapIte"} MapIte<T, U>(which: [T]bool, a: [T]U, b: [T]U): [T]U;

function {:builtin "MapOr"} MapOr<T>(a: [T]bool, b: [T]bool): [T]bool;

function {:builtin "MapAnd"} MapAnd<T>(a: [T]bool, b: [T]bool): [T]bool;

function {:builtin "MapNot"} MapNot<T>(a: [T]bool): [T]bool;

function {:builtin "MapImp"} MapImp<T>(a: [T]bool, b: [T]bool): [T]bool;

function {:builtin "MapIff"} MapIff<T>(a: [T]bool, b: [T]bool): [T]bool;

function {:builtin "MapAdd"} MapAdd<T>(a: [T]int, b: [T]int): [T]int;

function {:builtin "MapSub"} MapSub<T>(a: [T]int, b: [T]int): [T]int;

function {:builtin "MapMul"} MapMul<T>(a: [T]int, b: [T]int): [T]int;

function {:builtin "MapDiv"} MapDiv<T>(a: [T]int, b: [T]int): [T]int;

function {:builtin "MapMod"} MapMod<T>(a: [T]int, b: [T]int): [T]int;

function {:builtin "MapGt"} MapGt<T>(a: [T]int, b: [T]int): [T]bool;

function {:builtin "MapGe"} MapGe<T>(a: [T]int, b: [T]int): [T]bool;

function {:builtin "MapLt"} MapLt<T>(a: [T]int, b: [T]int): [T]bool;

function {:builtin "MapLe"} MapLe<T>(a: [T]int, b: [T]int): [T]bool;

function MapDiff<T>(a: [T]bool, b: [T]bool): [T]bool { MapAnd(a, MapNot(b)) }

function MapOne<T>(element: T): [T]bool { MapConst(false)[element := true] }

function ToMultiset<T>(set: [T]bool): [T]int { MapIte(set, MapConst(1), MapConst(0)) }

function IsSet<T>(multiset: [T]int): bool {
  (forall t: T :: multiset[t] == 0 || multiset[t] == 1)
}

function IsSubset<T>(a: [T]bool, b: [T]bool): bool { MapImp(a, b) == MapConst(true) }

function IsDisjoint<T>(a: [T]bool, b: [T]bool): bool { MapAnd(a, b) == MapConst(false) }

function Id<T>(value: T): T { value }

function Default<T>(): T;

function Choice<T>(set: [T]bool): T;
axiom (forall<T> set: [T]bool :: {Choice(set)} set[Choice(set)] || set == MapConst(false));

datatype Option<T> { None(), Some(t: T) }

const Identity: [int]int;
axiom (forall x: int :: {Identity[x]} Identity[x] == x);

function AtLeast(least: int): [int]bool { (lambda x: int :: least <= x) }

function Range(from: int, n: int): [int]bool { (lambda x: int :: from <= x && x < from + n) }

datatype Set<T> { Set(val: [T]bool) }

function Set_Size<T>(a: Set T): int;
axiom (forall<T> a: Set T :: {Set_Size(a)} a->val == MapConst(false) || 0 < Set_Size(a));
axiom (forall<T> :: Set_Size(Set(MapConst(false)): Set T) == 0);
axiom (forall<T> a: Set T, t: T :: {Set(a->val[t := true])}
  Set_Size(Set(a->val[t := true])) == Set_Size(a) + (if a->val[t] then 0 else 1));
axiom (forall<T> a: Set T, t: T :: {Set(a->val[t := false])}
  Set_Size(Set(a->val[t := false])) == Set_Size(a) - (if a->val[t] then 1 else 0));
axiom (forall<T> a, b: Set T ::
  {Set(MapAnd(a->val, MapNot(b->val)))} {Set(MapAnd(a->val, b->val))} {Set(MapOr(a->val, b->val))}
  Set_Size(Set(MapAnd(a->val, MapNot(b->val)))) + Set_Size(Set(MapAnd(a->val, b->val))) == Set_Size(a));
axiom (forall<T> a, b: Set T :: {Set(MapOr(a->val, b->val))} {Set(MapAnd(a->val, b->val))}
  Set_Size(Set(MapOr(a->val, b->val))) + Set_Size(Set(MapAnd(a->val, b->val))) == Set_Size(a) + Set_Size(b));

pure procedure Lemma_SubsetSize<T>(a: Set T, b: Set T);
  requires Set_IsSubset(a, b);
  ensures a == b || Set_Size(a) < Set_Size(b);

function Set_Empty<T>(): Set T { Set(MapConst(false)) }

function Set_Contains<T>(a: Set T, t: T): bool { a->val[t] }

function Set_IsSubset<T>(a: Set T, b: Set T): bool { IsSubset(a->val, b->val) }

function Set_IsDisjoint<T>(a: Set T, b: Set T): bool { IsDisjoint(a->val, b->val) }

function Set_Add<T>(a: Set T, t: T): Set T { Set(a->val[t := true]) }

function Set_Singleton<T>(t: T): Set T { Set(MapOne(t)) }

function Set_Remove<T>(a: Set T, t: T): Set T { Set(a->val[t := false]) }

function Set_Union<T>(a: Set T, b: Set T): Set T { Set(MapOr(a->val, b->val)) }

function Set_Difference<T>(a: Set T, b: Set T): Set T { Set(MapDiff(a->val, b->val)) }

function Set_Intersection<T>(a: Set T, b: Set T): Set T { Set(MapAnd(a->val, b->val)) }

function Set_Collector<T>(a: Set T): [T]bool { a->val }

pure procedure Set_MakeEmpty<T>() returns (made: Set T) { made := Set_Empty(); }

datatype Map<T, U> { Map(dom: Set T, val: [T]U) }

function Map_Empty<T, U>(): Map T U { Map(Set_Empty(), MapConst(Default())) }

function Map_Singleton<T, U>(t: T, u: U): Map T U { Map_Update(Map_Empty(), t, u) }

function Map_Contains<T, U>(a: Map T U, t: T): bool { Set_Contains(a->dom, t) }

function Map_IsDisjoint<T, U>(a: Map T U, b: Map T U): bool { Set_IsDisjoint(a->dom, b->dom) }

function Map_At<T, U>(a: Map T U, t: T): U { a->val[t] }

function Map_Remove<T, U>(a: Map T U, t: T): Map T U { Map(Set_Remove(a->dom, t), a->val[t := Default()]) }

function Map_Update<T, U>(a: Map T U, t: T, u: U): Map T U { Map(Set_Add(a->dom, t), a->val[t := u]) }

function Map_Swap<T, U>(a: Map T U, t1: T, t2: T): Map T U {
  Map_Update(Map_Update(a, t1, Map_At(a, t2)), t2, Map_At(a, t1))
}

function Map_WellFormed<T, U>(a: Map T U): bool {
  a->val == MapIte(a->dom->val, a->val, MapConst(Default()))
}

function Map_Collector<T, U>(a: Map T U): [T]bool { Set_Collector(a->dom) }

pure procedure Map_MakeEmpty<K, V>() returns (made: Map K V) { made := Map_Empty(); }

pure procedure Map_Assume<K, V>(source: Map K V, target: Map K V) {
  assume Set_IsDisjoint(source->dom, target->dom);
}

datatype One<T> { One(val: T) }

function One_Collector<T>(a: One T): [T]bool { MapOne(a->val) }

datatype Fraction<T, K> { Fraction(val: T, id: K, ids: [K]bool) }

datatype Cell<T, U> { Cell(key: T, val: U) }

function Cell_Collector<T, U>(a: Cell T U): [T]bool { MapOne(a->key) }

pure procedure Cell_Pack<K, V>(key: One K, value: V) returns (made: Cell K V) { made := Cell(key->val, value); }

pure procedure Cell_Unpack<K, V>(cell: Cell K V) returns (key: One K, value: V) {
  key, value := One(cell->key), cell->val;
}

type Loc _;

pure procedure One_New<V>() returns (made: One (Loc V)) { }

pure procedure Copy<T>(v: T) returns (copied: T) { copied := v; }

pure procedure Assume(b: bool);
  ensures b;

pure procedure Move<T>(from: T, to: T);
  requires from == to;
