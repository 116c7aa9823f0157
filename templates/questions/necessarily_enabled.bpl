{#- Is the action necessarily enabled after the call? Reached: no, it can be disabled.
    q: the frame; action: its name; disabled: when it is disabled -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
  // {{ action }} cannot be called now
  assume {{ disabled }};
{%- include "reached.bpl" %}
