// flags: /recursionBound:1
var alloc: [int]bool;
var mem: [int]int;
var next: int;
function obj(int): int;
function pa(p: int, o: int, s: int): int;
axiom (forall p: int, o: int, s: int :: { pa(p, o, s) } pa(p, o, s) == p + o * s);

procedure malloc(n: int) returns (p: int);
  modifies alloc, next;
  requires n > 0;
  ensures 0 < old(next);
  ensures p == old(next);
  ensures next > old(next) + n;
  ensures (forall x: int :: p <= x && x < p + n ==> obj(x) == p);
  ensures alloc[p];
  ensures (forall x: int :: { alloc[x] } x == p || old(alloc)[x] == alloc[x]);

procedure release(p: int);
  modifies alloc;
  requires alloc[p];
  ensures !alloc[p];
  ensures (forall x: int :: { alloc[x] } x == p || old(alloc)[x] == alloc[x]);

procedure {:entrypoint} main()
{
  var a: int;
  call a := malloc(4);
  call release(a);
  call release(a);
}
