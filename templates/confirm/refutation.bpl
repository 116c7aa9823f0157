{#- Can the call take this edge, where these clauses hold?  q: the frame; target: the target's assumptions -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
{%- include "target.bpl" %}
{%- include "reached.bpl" %}
