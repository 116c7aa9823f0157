{#- How a routine ends: normally, or in one of these.  exceptions: their names -#}
type Exception = int;
const Exception.none: Exception;
axiom Exception.none == 0;
{%- for exception in exceptions %}
const Exception.{{ exception }}: Exception;
axiom Exception.{{ exception }} == {{ loop.index }};
{%- endfor %}
