// flags: /recursionBound:1
// says: an asynchronous call is not supported
procedure P();
procedure {:entrypoint} main() { async call P(); }
