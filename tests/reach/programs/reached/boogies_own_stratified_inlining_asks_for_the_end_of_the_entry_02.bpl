// flags: /recursionBound:2 /stratifiedInline:1
var x: int;
var y: int;

procedure bar()
  modifies x;
{
  x := x + 1;
  y := y + 1;
}

procedure {:entrypoint} main()
  modifies x, y;
{
  assume x == y;
  call bar();
  assume x == y;
}
