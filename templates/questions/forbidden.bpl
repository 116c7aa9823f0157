{#- Can the call do what must not happen?
    q: the start; c: the call, which is made only where the requires clauses hold
    wrong.violated  what violates the requires clauses, where that must not happen
    wrong.allowed   what meets them
    wrong.raised    that the call has ended in an exception that must not happen -#}
{%- include "start.bpl" %}
{%- include "wrong.bpl" %}
{%- include "reached.bpl" %}
