{#- Objects besides the one under analysis, and arrays. #}
// Objects and arrays are numbered from 1 in the order they are made; each class, and each kind of array, by itself.
type Ref = int;
const null: Ref;
axiom null == 0;
// The length of an array, also where nothing was ever written.
function {:inline} length.of(n: int): int { if n < 0 then 0 else n }
