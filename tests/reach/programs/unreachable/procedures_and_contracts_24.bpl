// flags: --main B
procedure A()
{
  assert false;
}

procedure B()
{
}
