{#- A call in a run that is seen to end.
    q  the frame: reads_before, requires, before, call, reads_after, exit, after, invariant_after -#}
{%- include "interface/arguments.bpl" %}
{%- include "call.bpl" %}
