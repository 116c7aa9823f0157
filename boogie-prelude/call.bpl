{#- The call and how it ends.  c: the call: call, reads_after, exit, records_after, invariant -#}
{%- if !c.call.is_empty() %}
  // the call
  {{ c.call }}
{%- endif %}
{%- for fact in c.reads_after %}
  assume {{ fact }};
{%- endfor %}
{%- if !c.exit.is_empty() %}
  // how it ends
{%- for condition in c.exit %}
  assume {{ condition }};
{%- endfor %}
{%- endif %}
{%- if !c.records_after.is_empty() %}
  // onto the trace: the values here
{%- for line in c.records_after %}
  {{ line }}
{%- endfor %}
{%- endif %}
{%- if !c.invariant.is_empty() %}
  // the invariant holds again
{%- for clause in c.invariant %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
