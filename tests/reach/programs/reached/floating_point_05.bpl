function {:builtin "fp.eq"} eq(float24e8, float24e8): bool;
function {:builtin "fp.isNaN"} nan(float24e8): bool;
function {:builtin "fp.add"} add(rmode, float24e8, float24e8): float24e8;
function {:builtin "(_ to_fp 8 24) RNE"} of_real(real): float24e8;
function {:builtin "(_ to_fp 11 53) RNE"} double(float24e8): float53e11;

procedure {:entrypoint} main()
{
  assert double(of_real(0.1)) * 0xa.0e0f53e11 == 0x1.0e0f53e11;
}
