// flags: /recursionBound:1 /lib
// says: library_of_boogie_01.bpl(4,41): error: `Vec_Len` of Boogie's library is not supported: its axioms contradict
// A name that the library has not may be the program's own.
procedure {:entrypoint} main() { assert Vec_Len(v) >= 0; }
