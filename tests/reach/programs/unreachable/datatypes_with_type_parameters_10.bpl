datatype Even { Zero(), After(odd: Odd) }
datatype Odd { Next(even: Even) }

procedure {:entrypoint} main()
{
  var e: Even;
  assume e is After;
  assert e->odd->even != e;
}
