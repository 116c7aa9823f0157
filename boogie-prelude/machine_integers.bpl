{#- Machine integers are integers that wrap.  machines: name, modulus, shift (empty when unsigned) #}
// Integers that wrap into the range of their type. Within it there is no remainder to reason about.
{%- for m in machines %}
{%- if m.shift.is_empty() %}
function {:inline} wrap.{{ m.name }}(x: int): int { if 0 <= x && x < {{ m.modulus }} then x else x mod {{ m.modulus }} }
{%- else %}
function {:inline} wrap.{{ m.name }}(x: int): int { if -{{ m.shift }} <= x && x < {{ m.shift }} then x else (x + {{ m.shift }}) mod {{ m.modulus }} - {{ m.shift }} }
{%- endif %}
{%- endfor %}
