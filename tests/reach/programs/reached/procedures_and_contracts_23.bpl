// flags: /main:A
procedure A()
{
  assert false;
}

procedure B()
{
}
