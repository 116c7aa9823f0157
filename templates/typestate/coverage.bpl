{#- Can the call end in a target that none of its cases allows?
    q       the frame
    covers  for each target: the flag that says whether some case holds, the cases, and that it is reached -#}
{%- include "before.bpl" %}
  // for each target: whether the call is in one of its cases
{%- for c in covers %}
  {{ c.flag }} := {{ c.cases }};
{%- endfor %}
{%- include "call.bpl" %}
  // it ended in a target all the same without being in one of its cases
  assume {% for c in covers %}{% if !loop.first %} || {% endif %}(!{{ c.flag }} && {{ c.reached }}){% endfor %};
{%- include "reached.bpl" %}
