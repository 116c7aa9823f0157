procedure P<a>(x: a, n: int)
{
  if (n > 0) {
    call P(x, n - 1);
  }
  assert n < 3;
}

procedure {:entrypoint} main()
{
  call P(true, 2);
}
