{#- Which actions can be called now, and that this is none of the sets known.
    flags: an action's flag, and when it is enabled; known: formulas over the flags #}
  // which actions can be called now
{%- for (flag, formula) in flags %}
  {{ flag }} := {{ formula }};
  call {:cexpr "{{ flag }}"} boogie_si_record_bool({{ flag }});
{%- endfor %}
{%- if !known.is_empty() %}
  // none of the states known already
{%- for set in known %}
  assume {{ set }};
{%- endfor %}
{%- endif %}
