{#- Can the call start and end like this? Without a call: is there such a configuration?
    q        the start; c: the call
    watched  what is recorded of the end
    remark   what holds there, in words
    lines    the assumptions that say so -#}
{%- include "start.bpl" %}
{%- include "call.bpl" %}
{%- for line in watched %}
  {{ line }}
{%- endfor %}
{%- if !lines.is_empty() %}
  // {{ remark }}
{%- for line in lines %}
  assume {{ line.term }};{% if !line.remark.is_empty() %}  // {{ line.remark }}{% endif %}
{%- endfor %}
{%- endif %}
{%- include "reached.bpl" %}
