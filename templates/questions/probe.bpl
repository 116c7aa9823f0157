{#- Can the call start and end like this?  q: the frame; watched: what is recorded of the end; target: what holds there -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
{%- for line in watched %}
  {{ line }}
{%- endfor %}
{%- if !target.is_empty() %}
  // what is asked for
{%- for clause in target %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- include "reached.bpl" %}
