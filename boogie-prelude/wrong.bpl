{#- The call does what must not happen.  c: the call; wrong: violated, allowed, raised, as in forbidden.bpl #}
{%- if wrong.violated.is_empty() %}
{%- if !wrong.allowed.is_empty() %}
  // what the call requires
{%- for clause in wrong.allowed %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !c.call.is_empty() %}
  // the call
  {{ c.call }}
{%- endif %}
  // it raises what it must not
  assume {{ wrong.raised }};
{%- else %}
  if (*) {
    // what the call requires does not hold
    call {:cexpr "refused"} boogie_si_record_bool(true);
{%- for clause in wrong.violated %}
    assume {{ clause }};
{%- endfor %}
  } else {
    // what the call requires
    call {:cexpr "refused"} boogie_si_record_bool(false);
{%- for clause in wrong.allowed %}
    assume {{ clause }};
{%- endfor %}
{%- if !c.call.is_empty() %}
    // the call
    {{ c.call }}
{%- endif %}
    // it raises what it must not
    assume {{ wrong.raised }};
  }
{%- endif %}
