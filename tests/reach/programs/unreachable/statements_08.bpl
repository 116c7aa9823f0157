procedure {:entrypoint} main()
{
  assume false;
  assert false;
}
