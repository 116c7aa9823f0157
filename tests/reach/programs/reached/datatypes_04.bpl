type V;
type {:datatype} Tree;
function {:constructor} leaf(): Tree;
function {:constructor} node(value: V, children: List): Tree;
type {:datatype} List;
function {:constructor} cons(head: Tree, tail: List): List;
function {:constructor} nil(): List;

procedure {:entrypoint} main()
{
  var t: Tree;
  assert is#node(t);
}
