// flags: /recursionBound:1 /lib
procedure {:entrypoint} main(s: Set int, k: int) {
  assert Set_Contains(s, k);
}
