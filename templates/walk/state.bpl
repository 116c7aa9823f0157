{#- A state, or where an object is made: any of its calls.
    comment   what can be called
    name      its procedure
    params    `this`, where the object lives in the heap
    modifies  the globals that the calls may change
    calls     a label and a call statement each -#}
// {{ comment }}
procedure {{ name }}({{ params }})
  modifies {% if !modifies.is_empty() %}{{ modifies }}, {% endif %}$state, $edge;
{
{%- if calls.is_empty() %}
  assume false;
{%- else %}
  goto {% for (label, _) in calls %}{% if !loop.first %}, {% endif %}{{ label }}{% endfor %};
{%- for (label, call) in calls %}
{{ label }}:
  {{ call }}
  return;
{%- endfor %}
{%- endif %}
}
