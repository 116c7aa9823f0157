{#- The head of every question, up to the call.
    q  the start: sentence, name, modifies, locals, configuration, reads, invariant, known, state, requires, records #}
// {{ q.sentence }}
procedure {:entrypoint} {{ q.name }}()
{%- if !q.modifies.is_empty() %}
  modifies {{ q.modifies }};
{%- endif %}
{
{%- for (name, ty) in q.locals %}
  var {{ name }}: {{ ty }};
{%- endfor %}
{%- if !q.locals.is_empty() %}
{# An empty line. #}
{%- endif %}
{%- if !q.configuration.is_empty() %}
  // any configuration: its values are of their types
{%- for fact in q.configuration %}
  assume {{ fact }};
{%- endfor %}
{%- endif %}
{%- for fact in q.reads %}
  assume {{ fact }};
{%- endfor %}
{%- if !q.invariant.is_empty() %}
  // the invariant holds
{%- for clause in q.invariant %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.known.is_empty() %}
  // {% if q.invariant.is_empty() %}these hold{% else %}and these hold besides{% endif %}
{%- for clause in q.known %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.state.is_empty() %}
  // the source: exactly these actions can be called
{%- for a in q.state %}
  assume {{ a.term }};  // {{ a.remark }}
{%- endfor %}
{%- endif %}
{%- if !q.requires.is_empty() %}
  // what the call requires
{%- for clause in q.requires %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.records.is_empty() %}
  // onto the trace: the values here
{%- for line in q.records %}
  {{ line }}
{%- endfor %}
{%- endif %}
