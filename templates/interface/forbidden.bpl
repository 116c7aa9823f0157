{#- The call does what must not happen.  q: the frame; violated, allowed, raised: see raises.bpl #}
{%- if violated.is_empty() %}
{%- if !allowed.is_empty() %}
  // what the call requires
{%- for clause in allowed %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.call.is_empty() %}
  // the call
  {{ q.call }}
{%- endif %}
  // it raises what it must not
  assume {{ raised }};
{%- else %}
  if (*) {
    // what the call requires does not hold
    call {:cexpr "refused"} boogie_si_record_bool(true);
{%- for clause in violated %}
    assume {{ clause }};
{%- endfor %}
  } else {
    // what the call requires
    call {:cexpr "refused"} boogie_si_record_bool(false);
{%- for clause in allowed %}
    assume {{ clause }};
{%- endfor %}
{%- if !q.call.is_empty() %}
    // the call
    {{ q.call }}
{%- endif %}
    // it raises what it must not
    assume {{ raised }};
  }
{%- endif %}
