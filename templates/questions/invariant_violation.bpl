{#- Can the call end in a configuration that breaks the invariant?  q: the frame; broken: the invariant's negation -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
  // the invariant does not hold
  assume {{ broken }};
{%- include "reached.bpl" %}
