{#- Exactly these actions can be called now.  target: the assumptions #}
  // the target: exactly these actions can be called
{%- for a in target %}
  assume {{ a.term }};  // {{ a.remark }}
{%- endfor %}
