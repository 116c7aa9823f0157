{#- Does the call break one of these clauses?  q: the start; c: the call; clauses: a flag each; broken: that one is false -#}
{%- include "start.bpl" %}
{%- include "call.bpl" %}
  // one of these does not hold
{%- for flag in clauses %}
  {{ flag.statement }}
  call {:cexpr "{{ flag.name }}"} boogie_si_record_bool({{ flag.name }});
{%- endfor %}
  assume {{ broken }};
{%- include "reached.bpl" %}
