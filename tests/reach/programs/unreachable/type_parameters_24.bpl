var m: <a>[]a;

procedure {:entrypoint} main()
{
  m[] := 3;
  m[] := true;
  assert m[] == 3 && m[];
}
