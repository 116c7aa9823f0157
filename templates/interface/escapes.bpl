{#- Can the call do what must not happen, or end where the interface does not say?
    q         the frame; for an action, its call is made only where the requires clauses hold
    violated  what violates the requires clauses, where that must not happen
    allowed   what meets them
    observed  what the caller sees, as a number; none for a constructor
    escaped   that the call has ended as it must not, or where the interface does not say -#}
{%- include "before.bpl" %}
{%- match observed %}
{%- when Some with (term) %}
{%- if !violated.is_empty() %}
  if (*) {
    // what the call requires does not hold
{%- for clause in violated %}
    assume {{ clause }};
{%- endfor %}
    goto escaped;
  }
{%- endif %}
{%- if !allowed.is_empty() %}
  // what the call requires
{%- for clause in allowed %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- include "call.bpl" %}
  // it raises what it must not, or ends where the interface does not say
  observed := {{ term }};
  assume {{ escaped }};
{%- if !violated.is_empty() %}
escaped:
{%- endif %}
{%- when None %}
{%- include "call.bpl" %}
  // where the interface does not start
  assume {{ escaped }};
{%- endmatch %}
{%- include "reached.bpl" %}
