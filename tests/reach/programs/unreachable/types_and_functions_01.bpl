type T;
const unique a: T;
const unique b: T;

procedure {:entrypoint} main()
{
  assert a != b;
}
