type V;
type {:datatype} Tree;
function {:constructor} leaf(): Tree;
function {:constructor} node(value: V, children: List): Tree;
type {:datatype} List;
function {:constructor} cons(head: Tree, tail: List): List;
function {:constructor} nil(): List;

procedure {:entrypoint} main()
{
  var v: V;
  assert value#node(node(v, nil())) == v && is#node(node(v, nil())) && !is#leaf(node(v, nil()));
}
