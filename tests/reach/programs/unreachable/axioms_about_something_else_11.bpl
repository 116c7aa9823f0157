procedure corral_getThreadID() returns (id: int);

procedure {:entrypoint} main()
{
  var t: int;
  call t := corral_getThreadID();
  assert t == 1;
}
