{#- The last call in a run, which does what must not happen.
    q                          the frame: reads_before, requires, before, call
    violated, allowed, raised  see raises.bpl -#}
{%- include "interface/arguments.bpl" %}
{%- include "interface/forbidden.bpl" %}
