function {:builtin "str.++"} join(string, string): string;
function {:builtin "str.len"} len(string): int;

procedure {:entrypoint} main()
{
  var s: string;
  assert len(s) != 2;
}
