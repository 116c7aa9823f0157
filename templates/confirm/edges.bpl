{#- One call, from one state (or a constructor), with the edges that it may take.
    comment  what is called, and where
    name     its procedure
    params   `this`, where the object lives in the heap
    q        the frame: modifies, locals, source, requires, reads_before, before, call, reads_after, invariant_after, after
    gone     the edges that leave no object: number, exit
    edges    the other edges: number, exit, target's number, target's name, target's assumptions -#}
// {{ comment }}
procedure {{ name }}({{ params }})
  modifies {% if !q.modifies.is_empty() %}{{ q.modifies }}, {% endif %}$state, $edge;
{
{%- for (name, ty) in q.locals %}
  var {{ name }}: {{ ty }};
{%- endfor %}
{%- for fact in q.reads_before %}
  assume {{ fact }};
{%- endfor %}
{%- for a in q.source %}
  assume {{ a.term }};  // {{ a.remark }}
{%- endfor %}
{%- if !q.requires.is_empty() %}
  // what the call requires
{%- for clause in q.requires %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.before.is_empty() %}
  // onto the trace: the values here
{%- for line in q.before %}
  {{ line }}
{%- endfor %}
{%- endif %}
{%- if !q.call.is_empty() %}
  // the call
  {{ q.call }}
{%- endif %}
{%- for e in gone %}
  if ({{ e.exit }}) {
    $edge := {{ e.number }};
    $state := 0;
    return;
  }
{%- endfor %}
{%- for fact in q.reads_after %}
  assume {{ fact }};
{%- endfor %}
{%- if !q.invariant_after.is_empty() %}
  // the invariant holds again
{%- for clause in q.invariant_after %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.after.is_empty() %}
  // onto the trace: the values here
{%- for line in q.after %}
  {{ line }}
{%- endfor %}
{%- endif %}
{%- if edges.is_empty() %}
  assume false;
{%- else %}
  // one of the edges
  goto {% for e in edges %}{% if !loop.first %}, {% endif %}edge_{{ e.number }}{% endfor %};
{%- for e in edges %}
edge_{{ e.number }}:  // to {{ e.target_name }}
{%- for condition in e.exit %}
  assume {{ condition }};
{%- endfor %}
{%- for a in e.assumptions %}
  assume {{ a.term }};  // {{ a.remark }}
{%- endfor %}
  $edge := {{ e.number }};
  $state := {{ e.target }};
  return;
{%- endfor %}
{%- endif %}
}
