function {:builtin "fp.eq"} eq(float24e8, float24e8): bool;
function {:builtin "fp.isNaN"} nan(float24e8): bool;
function {:builtin "fp.add"} add(rmode, float24e8, float24e8): float24e8;
function {:builtin "(_ to_fp 8 24) RNE"} of_real(real): float24e8;
function {:builtin "(_ to_fp 11 53) RNE"} double(float24e8): float53e11;

procedure {:entrypoint} main()
{
  assert 0x0.0e0f24e8 != -0x0.0e0f24e8 && eq(0x0.0e0f24e8, -0x0.0e0f24e8);
}
