{#- How a routine ends: normally, or in one of these.  exceptions: names and numbers #}
type Exception = int;
const Exception.none: Exception;
axiom Exception.none == 0;
{%- for (name, number) in exceptions %}
const Exception.{{ name }}: Exception;
axiom Exception.{{ name }} == {{ number }};
{%- endfor %}
