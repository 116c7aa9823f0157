// Values of different types are different, and which types are meant may be left open.
function eq3<a>(x: a): bool { x == 3 }

procedure {:entrypoint} main()
{
  assert eq3(3) && !eq3(true);
}
