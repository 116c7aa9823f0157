{#- Can the call end this way at all?  q: the frame -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
{%- include "reached.bpl" %}
