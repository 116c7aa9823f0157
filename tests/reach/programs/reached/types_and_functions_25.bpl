procedure {:entrypoint} main()
{
  var x: int;
  assert |{ A:
  return x == 0;
 }|;
}
