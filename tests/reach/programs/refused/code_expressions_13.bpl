// says: a code expression with a loop, or too many ways through it, is not supported
procedure P() returns (r: bool)
{
  call r := P();
}

procedure {:entrypoint} main()
{
  assert |{   var l: bool;
A:
  call l := P();
  return l;
 }|;
}
