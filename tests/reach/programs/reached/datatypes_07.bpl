type V;
type {:datatype} Tree;
function {:constructor} leaf(): Tree;
function {:constructor} node(value: V, children: List): Tree;
type {:datatype} List;
function {:constructor} cons(head: Tree, tail: List): List;
function {:constructor} nil(): List;

procedure {:entrypoint} main()
{
  var m: [Tree]int;
  var t: Tree;
  m[leaf()] := 3;
  assert m[t] == 3;
}
