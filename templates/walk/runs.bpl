{#- Is there a run of so many calls whose last one takes one of these edges?
    q              the start: sentence, name, modifies, locals, configuration, invariant, records
    start          the objects that the run may begin with; none where its first call makes the object
    calls          the calls: number, the states it may be made in (a number and a call statement each), what holds after it
    wanted         that the last edge is one of those looked for -#}
// {{ q.sentence }}
procedure {:entrypoint} {{ q.name }}()
  modifies {% if !q.modifies.is_empty() %}{{ q.modifies }}, {% endif %}$state, $edge;
{
{%- for (name, ty) in q.locals %}
  var {{ name }}: {{ ty }};
{%- endfor %}
{%- for call in calls %}
  var edge.{{ call.number }}: int;
{%- endfor %}
{%- if !q.configuration.is_empty() %}
  // values are of their types
{%- for fact in q.configuration %}
  assume {{ fact }};
{%- endfor %}
{%- endif %}
{%- for fact in q.reads %}
  assume {{ fact }};
{%- endfor %}
{%- if !q.invariant.is_empty() %}
  // the invariant of other objects holds
{%- for clause in q.invariant %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !start.is_empty() %}
  // the run begins with one of these objects
{%- for one in start %}
  {% if loop.first %}assume {% else %}  || {% endif %}({{ one }}){% if loop.last %};{% endif %}
{%- endfor %}
{%- endif %}
{%- if !q.records.is_empty() %}
  // onto the trace: the values here
{%- for line in q.records %}
  {{ line }}
{%- endfor %}
{%- endif %}
{%- for call in calls %}
  // call {{ call.number }}
{%- for (state, statement) in call.from %}
{%- if loop.last %}
{%- if loop.first %}
{%- if *state > 0 %}
  assume $state == {{ state }};
{%- endif %}
  {{ statement }}
{%- else %} else {
    assume $state == {{ state }};
    {{ statement }}
  }
{%- endif %}
{%- else %}{% if loop.first %}
  {% else %} else {% endif %}if ($state == {{ state }}) {
    {{ statement }}
  }
{%- endif %}
{%- endfor %}
  edge.{{ call.number }} := $edge;
{%- for fact in call.known %}
  assume {{ fact }};
{%- endfor %}
{%- endfor %}
  // the last edge is one of those looked for
  assume {{ wanted }};
{%- for call in calls %}
{%- if loop.first %}
  // onto the trace: the edges
{%- endif %}
  call {:cexpr "edge.{{ call.number }}"} boogie_si_record_int(edge.{{ call.number }});
{%- endfor %}
  assert {:reached} false;
}
