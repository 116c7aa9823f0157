// flags: /recursionBound:1 /lib
procedure {:entrypoint} main(s: Set int, k: int) {
  var u: Set int;
  assert Set_Size(Set_Add(Set_Empty(), k)) == 1;
  assert Set_Size(Set_Remove(s, k)) <= Set_Size(s);
  call Lemma_SubsetSize(Set_Remove(s, k), s);
  assert Set_Contains(s, k) ==> Set_Size(Set_Remove(s, k)) < Set_Size(s);
}
