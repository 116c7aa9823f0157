procedure P(x: int) returns (y: int);
  requires |{   var b: bool;
A:
  b := x > 0;
  return b;
 }|;

procedure {:entrypoint} main()
{
  var i: int;
  call i := P(i);
}
