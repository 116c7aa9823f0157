{#- Can the action, called in the source state, raise the exception and leave the object in the target state?
    q: the frame; target: the target's assumptions -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
{%- include "target.bpl" %}
{%- include "reached.bpl" %}
