function {:builtin "str.++"} join(string, string): string;
function {:builtin "str.len"} len(string): int;

procedure {:entrypoint} main()
{
  assert len("a\"b") == 3;
}
