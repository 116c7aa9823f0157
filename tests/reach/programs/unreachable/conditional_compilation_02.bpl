// flags:
#if !FILE_0
procedure {:entrypoint} main() { assert false; }
  #elsif !X
procedure {:entrypoint} main() { }
 #else
or this
#endif
