{#- Is the action necessarily disabled after the call? Reached: no, it can be enabled.
    q: the frame; action: its name; enabled: when it is enabled -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
  // {{ action }} can be called now
  assume {{ enabled }};
{%- include "reached.bpl" %}
