{#- Is one of these clauses false where this ends?
    q        the start; c: the call
    lines    the assumptions that say in which state that is
    clauses  a flag each; broken: that one is false -#}
{%- include "start.bpl" %}
{%- include "call.bpl" %}
{%- if !lines.is_empty() %}
  // in this state
{%- for line in lines %}
  assume {{ line.term }};{% if !line.remark.is_empty() %}  // {{ line.remark }}{% endif %}
{%- endfor %}
{%- endif %}
  // one of these does not hold
{%- for flag in clauses %}
  {{ flag.statement }}
  call {:cexpr "{{ flag.name }}"} boogie_si_record_bool({{ flag.name }});
{%- endfor %}
  assume {{ broken }};
{%- include "reached.bpl" %}
