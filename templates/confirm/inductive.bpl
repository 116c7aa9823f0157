{#- Does the call break this?  q: the frame; broken: that it does not hold -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
  // one of these does not hold now
  assume {{ broken }};
{%- include "reached.bpl" %}
