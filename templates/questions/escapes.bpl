{#- Can the call do what must not happen, or end where the interface does not say?
    q: the start; c: the call, which is made only where the requires clauses hold, for an action
    wrong     how it does what must not happen, as in forbidden.bpl
    observed  what the caller sees, as a number; none for a constructor
    escaped   that the call has ended as it must not, or where the interface does not say -#}
{%- include "start.bpl" %}
{%- match observed %}
{%- when Some with (term) %}
{%- if !wrong.violated.is_empty() %}
  if (*) {
    // what the call requires does not hold
{%- for clause in wrong.violated %}
    assume {{ clause }};
{%- endfor %}
    goto escaped;
  }
{%- endif %}
{%- if !wrong.allowed.is_empty() %}
  // what the call requires
{%- for clause in wrong.allowed %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- include "call.bpl" %}
  // it raises what it must not, or ends where the interface does not say
  observed := {{ term }};
  assume {{ escaped }};
{%- if !wrong.violated.is_empty() %}
escaped:
{%- endif %}
{%- when None %}
{%- include "call.bpl" %}
  // where the interface does not start
  assume {{ escaped }};
{%- endmatch %}
{%- include "reached.bpl" %}
