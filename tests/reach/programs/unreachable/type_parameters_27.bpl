function none<a>(): a;

procedure {:entrypoint} main()
{
  assert none() == none();
}
