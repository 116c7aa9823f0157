procedure {:entrypoint} main() {
  var b: bool;
  if (b) { return; }
  assume false;
  assert {:reached} false;
}
