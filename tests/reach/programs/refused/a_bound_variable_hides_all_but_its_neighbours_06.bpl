// flags: /recursionBound:1
// says: more than one declaration of variable: x
procedure {:entrypoint} main()
{
  assert (forall x: int, x: int :: true);
}
