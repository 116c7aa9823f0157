// flags:
#if X
#if FILE_0
%
#endif
%
#endif
procedure {:entrypoint} main() { }