// flags: /recursionBound:1 /lib
procedure {:entrypoint} main(a: [int]int, b: [int]int, c: [int]bool) { assume MapIte(c, a, b) == b; assert a == b; }
