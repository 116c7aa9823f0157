function {:bvbuiltin "bvadd"} add(bv8, bv8): bv8;

procedure {:entrypoint} main()
{
  assert add(255bv8, 1bv8) == 0bv8;
}
