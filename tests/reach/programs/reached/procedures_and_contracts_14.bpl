procedure P();

implementation P() {
  assert false;
}

procedure {:entrypoint} main()
{
  call P();
}
