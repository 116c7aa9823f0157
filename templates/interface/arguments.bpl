{#- What is passed to a call.  q: the frame: reads_before, requires, before #}
{%- for fact in q.reads_before %}
  assume {{ fact }};
{%- endfor %}
{%- if !q.requires.is_empty() %}
  // what the call requires
{%- for clause in q.requires %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.before.is_empty() %}
  // onto the trace: the arguments
{%- for line in q.before %}
  {{ line }}
{%- endfor %}
{%- endif %}
