{#- One call, from one state (or a constructor), with the edges that it may take.
    comment  what is called, and where
    name     its procedure
    params   `this`, where the object lives in the heap
    modifies the globals that the call may change
    locals   local variables
    state    what the class says of the state
    c        the call: reads, requires, records, call, reads_after, invariant, records_after
    gone     the edges that lead to no state: number, condition
    broken   those of them that end where the invariant does not hold: number, condition
    edges    the other edges: number, exit, target's number, target's name, target's assumptions -#}
// {{ comment }}
procedure {{ name }}({{ params }})
  modifies {% if !modifies.is_empty() %}{{ modifies }}, {% endif %}$state, $edge;
{
{%- for (name, ty) in locals %}
  var {{ name }}: {{ ty }};
{%- endfor %}
{%- for fact in c.reads %}
  assume {{ fact }};
{%- endfor %}
{%- for a in state %}
  assume {{ a.term }};  // {{ a.remark }}
{%- endfor %}
{%- if !c.requires.is_empty() %}
  // what the call requires
{%- for clause in c.requires %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !c.records.is_empty() %}
  // onto the trace: the values here
{%- for line in c.records %}
  {{ line }}
{%- endfor %}
{%- endif %}
{%- if !c.call.is_empty() %}
  // the call
  {{ c.call }}
{%- endif %}
{%- for e in gone %}
  if ({{ e.condition }}) {
    $edge := {{ e.number }};
    $state := 0;
    return;
  }
{%- endfor %}
{%- for fact in c.reads_after %}
  assume {{ fact }};
{%- endfor %}
{%- for e in broken %}
  if ({{ e.condition }}) {
    $edge := {{ e.number }};
    $state := 0;
    return;
  }
{%- endfor %}
{%- if !c.invariant.is_empty() %}
  // the invariant holds again
{%- for clause in c.invariant %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !c.records_after.is_empty() %}
  // onto the trace: the values here
{%- for line in c.records_after %}
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
