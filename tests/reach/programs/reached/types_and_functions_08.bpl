function {:bvbuiltin "bvult"} lt(bv8, bv8): bool;

procedure {:entrypoint} main()
{
  var x: bv8;
  assert lt(x, 255bv8);
}
