// flags:
#if FILE_0
procedure {:entrypoint} main() { assert false; }
  #elsif !X
what is this
 #else
or this
#endif
