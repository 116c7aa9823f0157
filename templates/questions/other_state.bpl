{#- Can the call end in a state that is not known yet? Without a call: is there a configuration in such a state? The flags
    on the trace say which it is.
    q: the start; c: the call; observed: the way in which the call ends, as a number, where several are told apart;
    flags: which actions are enabled; known: none of these -#}
{%- include "start.bpl" %}
{%- include "call.bpl" %}
{%- match observed %}
{%- when Some with (term) %}
  // the way in which the call ends
  observed := {{ term }};
  call {:cexpr "observed"} boogie_si_record_int(observed);
{%- when None %}
{%- endmatch %}
  // which actions can be called now
{%- for flag in flags %}
  {{ flag.statement }}
  call {:cexpr "{{ flag.name }}"} boogie_si_record_bool({{ flag.name }});
{%- endfor %}
{%- if !known.is_empty() %}
  // none of the {% if observed.is_some() %}ends{% else %}states{% endif %} known already, and what the class says of its states
{%- for set in known %}
  assume {{ set }};
{%- endfor %}
{%- endif %}
{%- include "reached.bpl" %}
