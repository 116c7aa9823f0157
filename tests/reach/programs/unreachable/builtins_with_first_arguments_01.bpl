// flags: /recursionBound:1
// The text of a built-in may have first arguments, or indices.
type bvfloat = float24e8;

function {:builtin "(_ to_fp 8 24) RNE"} of_real(r: real): bvfloat;
function {:builtin "fp.add RNE"} add(a: bvfloat, b: bvfloat): bvfloat;
function {:builtin "fp.isNaN"} is_nan(f: bvfloat): bool;
function {:bvbuiltin "sign_extend 24"} extended(b: bv8): bv32;
function {:bvbuiltin "(_ zero_extend 24)"} filled(b: bv8): bv32;

procedure {:entrypoint} main()
{
  assert add(of_real(1.0), of_real(0.5)) == of_real(1.5);
  assert !is_nan(of_real(1.5));
  assert extended(255bv8) == 4294967295bv32;
  assert filled(255bv8) == 255bv32;
}
