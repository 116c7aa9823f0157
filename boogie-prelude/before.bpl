{#- The head of every question, up to the call.
    q  the frame: name, question, modifies, locals, configuration, reads_before, invariant, hypothesis, source, requires, before #}
// {{ q.question }}
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
{%- for fact in q.reads_before %}
  assume {{ fact }};
{%- endfor %}
{%- if !q.invariant.is_empty() %}
  // the invariant holds
{%- for clause in q.invariant %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.hypothesis.is_empty() %}
  // {% if q.invariant.is_empty() %}these hold{% else %}and these hold besides{% endif %}
{%- for clause in q.hypothesis %}
  assume {{ clause }};
{%- endfor %}
{%- endif %}
{%- if !q.source.is_empty() %}
  // the source: exactly these actions can be called
{%- for a in q.source %}
  assume {{ a.term }};  // {{ a.remark }}
{%- endfor %}
{%- endif %}
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
