{#- Can the action, called in the source state, end in the target state?  q: the frame; target: the target's assumptions -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
{%- include "target.bpl" %}
{%- include "reached.bpl" %}
