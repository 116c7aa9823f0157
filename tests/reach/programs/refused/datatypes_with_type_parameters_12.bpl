// says: a datatype that is made of ever larger types is not supported
datatype Nest<a> { End(x: a), More(n: Nest (Nest a)) }

procedure {:entrypoint} main()
{
  var n: Nest int;
  assert n == n;
}
