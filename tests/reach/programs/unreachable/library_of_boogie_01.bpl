// flags: /recursionBound:1 /lib:base
procedure {:entrypoint} main(s: Set int, m: Map int bool, k: int) {
  var o: Option int; var t: Set int; var n: Map int bool;
  assert MapIte(MapConst(true), MapConst(1), MapConst(2))[k] == 1;
  assert MapEq(MapConst(1), MapConst(1))[k];
  assert MapIff(MapConst(true), MapConst(false))[k] == false;
  assert !Set_Contains(Set_Empty(), k);
  t := Set_Add(s, k);
  assert Set_Contains(t, k);
  assert Set_IsSubset(s, t);
  assert Set_Remove(Set_Add(Set_Remove(s, k), k), k) == Set_Remove(s, k);
  o := Some(k);
  assert o is Some && o->t == k;
  n := Map_Update(m, k, true);
  assert Map_Contains(n, k) && Map_At(n, k);
  assert !Map_Contains(Map_Remove(n, k), k);
  assert Map_WellFormed(Map_Update(Map_Empty(), k, true));
  assert Range(2, 3)[4] && !Range(2, 3)[5] && !Range(2, 3)[1];
  assert IsSet(ToMultiset(MapOne(k)));
  assert IsDisjoint(MapOne(k), MapOne(k + 1));
}
