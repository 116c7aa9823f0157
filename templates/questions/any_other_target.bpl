{#- Can the call end in a state that is not known yet? The flags on the trace say which.
    q: the frame; flags: which actions are enabled; known: none of these -#}
{%- include "before.bpl" %}
{%- include "call.bpl" %}
{%- include "flags.bpl" %}
{%- include "reached.bpl" %}
