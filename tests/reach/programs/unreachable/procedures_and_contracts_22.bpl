// flags: /recursionBound:1
procedure {:entrypoint} main(x: int)
  requires x > 0;
{
  assert x > 0;
}
