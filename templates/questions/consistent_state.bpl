{#- Is there a configuration in this state at all?  q: the frame; target: the state's assumptions -#}
{%- include "before.bpl" %}
{%- include "target.bpl" %}
{%- include "reached.bpl" %}
