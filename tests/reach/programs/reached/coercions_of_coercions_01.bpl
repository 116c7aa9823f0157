procedure {:entrypoint} main(x: int)
{
  assert x: int: int == 3: int: int;
}
