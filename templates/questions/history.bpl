{#- Is there a history of these calls?
    q      the start: what is true before there is an object
    calls  the calls: number, what is called, the call (c), and how it does what must not happen, for the last (wrong) -#}
{%- include "start.bpl" %}
{%- for call in calls %}
  // {{ call.number }}. {{ call.what }}
{%- let c = call.c %}
{%- for fact in c.reads %}
  assume {{ fact }};
{%- endfor %}
{%- if !c.requires.is_empty() %}
  // what the call requires
{%- for clause in c.requires %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !c.records.is_empty() %}
  // onto the trace: the arguments
{%- for line in c.records %}
  {{ line }}
{%- endfor %}
{%- endif %}
{%- match call.wrong %}
{%- when Some with (wrong) %}
{%- include "wrong.bpl" %}
{%- when None %}
{%- include "call.bpl" %}
{%- endmatch %}
{%- endfor %}
{%- include "reached.bpl" %}
