{#- Can the action, called in the source cube, do what must not happen?
    q         the frame; its call is made only where the requires clauses hold
    violated  what violates the requires clauses, where that must not happen
    allowed   what meets them
    raised    that the call has ended in an exception that must not happen -#}
{%- include "before.bpl" %}
{%- include "interface/forbidden.bpl" %}
{%- include "reached.bpl" %}
