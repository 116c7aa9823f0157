type string;
const s: string;

procedure {:entrypoint} main()
{
  assert s == s;
}
