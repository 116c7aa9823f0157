type T;
const a: T;
const b: T;

procedure {:entrypoint} main()
{
  assert a != b;
}
