function id<a>(x: a): a { x }

procedure {:entrypoint} main()
{
  assert id(3) == 3 && id(true);
}
