{#- Can the call end in a target that none of its cases allows?
    q: the start; c: the call
    covers  for each target: the flag that says whether some case holds, the cases, and that it is reached -#}
{%- include "start.bpl" %}
  // for each target: whether the call is in one of its cases
{%- for cover in covers %}
  {{ cover.flag }} := {{ cover.cases }};
{%- endfor %}
{%- include "call.bpl" %}
  // it ended in a target all the same without being in one of its cases
  assume {% for cover in covers %}{% if !loop.first %} || {% endif %}(!{{ cover.flag }} && {{ cover.reached }}){% endfor %};
{%- include "reached.bpl" %}
