{#- Does the call break one of these clauses?  q: the frame; clauses: a flag and its formula each -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
  // one of these does not hold
{%- for (flag, formula) in clauses %}
  {{ flag }} := {{ formula }};
  call {:cexpr "{{ flag }}"} boogie_si_record_bool({{ flag }});
{%- endfor %}
  assume {{ broken }};
{%- include "reached.bpl" %}
