// The solver has functions of these names; a program may have its own.
function store(x: int): int { x + 1 }
function b0(x: int): bool;
function and(x: bool): bool { x }

procedure {:entrypoint} main()
{
  assert store(1) == 2 && (forall x: int :: b0(x) == b0(x + 0)) && and(true);
}
