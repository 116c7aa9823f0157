// The answers of Boogie 2.4.1 to the same programs.
const {:extern} c: int;
const c: bool;

procedure {:extern} P(x: int);

procedure P(x: int)
{
  assert x > 0 && c;
}

procedure {:entrypoint} main()
{
  call P(1);
}
