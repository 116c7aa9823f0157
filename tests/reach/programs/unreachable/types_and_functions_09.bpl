function {:bvbuiltin "zero_extend 8"} z(bv8): bv16;

procedure {:entrypoint} main()
{
  assert z(7bv8) == 7bv16;
}
