type T;
const unique animal: T extends complete;
const unique bird: T extends unique animal;
const unique fish: T extends unique animal;
const unique eel: T extends fish complete;
const loose: T;

procedure {:entrypoint} main()
{
  assert eel <: animal && eel <: eel && !(animal <: eel);
}
