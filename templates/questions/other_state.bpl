{#- Can the call end in a state that is not known yet? Without a call: is there a configuration in such a state? The flags
    on the trace say which it is.
    q: the start; c: the call; flags: which actions are enabled; known: none of these -#}
{%- include "start.bpl" %}
{%- include "call.bpl" %}
  // which actions can be called now
{%- for flag in flags %}
  {{ flag.statement }}
  call {:cexpr "{{ flag.name }}"} boogie_si_record_bool({{ flag.name }});
{%- endfor %}
{%- if !known.is_empty() %}
  // none of the states known already, and what the class says of its states
{%- for set in known %}
  assume {{ set }};
{%- endfor %}
{%- endif %}
{%- include "reached.bpl" %}
