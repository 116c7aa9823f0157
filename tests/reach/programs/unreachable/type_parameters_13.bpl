type Box;
function box<a>(a): Box;
function unbox<a>(Box): a;
axiom (forall<a> x: a :: { box(x) } unbox(box(x)) == x);

procedure {:entrypoint} main()
{
  assert unbox(box(13)) == 13 && unbox(unbox(box(box(true))));
}
