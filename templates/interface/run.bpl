{#- Is there a run of these calls?
    q      the frame: what is true before there is an object
    calls  the calls: number, what is called, its text -#}
{%- include "before.bpl" %}
{%- for call in calls %}
  // {{ call.number }}. {{ call.what }}
{{- call.text }}
{%- endfor %}
{%- include "reached.bpl" %}
