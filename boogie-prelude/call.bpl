{#- The call and how it ends.  q: the frame: call, exit, after, reads_after, invariant_after -#}
{%- if !q.call.is_empty() %}
  // the call
  {{ q.call }}
{%- endif %}
{%- for fact in q.reads_after %}
  assume {{ fact }};
{%- endfor %}
{%- if !q.exit.is_empty() %}
  // how it ends
{%- for condition in q.exit %}
  assume {{ condition }};
{%- endfor %}
{%- endif %}
{%- if !q.after.is_empty() %}
  // onto the trace: the values here
{%- for line in q.after %}
  {{ line }}
{%- endfor %}
{%- endif %}
{%- if !q.invariant_after.is_empty() %}
  // the invariant holds again
{%- for clause in q.invariant_after %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
