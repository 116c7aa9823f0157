{#- Machine integers are integers that wrap.  machines: name, modulus, shift (empty when unsigned) #}
// Integers that wrap into the range of their type.
{%- for m in machines %}
{%- if m.shift.is_empty() %}
function {:inline} wrap.{{ m.name }}(x: int): int { x mod {{ m.modulus }} }
{%- else %}
function {:inline} wrap.{{ m.name }}(x: int): int { (x + {{ m.shift }}) mod {{ m.modulus }} - {{ m.shift }} }
{%- endif %}
{%- endfor %}
