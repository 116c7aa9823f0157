// The answers of Boogie 2.4.1 to the same programs.
function {:extern} f(): int { 1 }
function {:extern} f(): int { 1 }

procedure {:entrypoint} main()
{
  assert f() == 1;
}
