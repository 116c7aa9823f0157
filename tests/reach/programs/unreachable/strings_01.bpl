function {:builtin "str.++"} join(string, string): string;
function {:builtin "str.len"} len(string): int;

procedure {:entrypoint} main()
{
  var s: string;
  s := join("ab", "c");
  assert s == "abc" && len(s) == 3;
}
