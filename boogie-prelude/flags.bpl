{#- Which actions can be called now, and that this is none of the sets known.
    flags: an action's flag: its name, and the statement that sets it; known: formulas over the flags #}
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
