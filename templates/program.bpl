{#- The class as a Boogie program, to which each question adds its entry procedure.
    class       the class under analysis
    exceptions  all exceptions, in the order of their numbers (from 1)
    machines    the machine integer types in use
    enums       the enums with their values
    opaques     the opaque types
    heap        whether there are objects or arrays besides the one under analysis
    globals     the variables that hold the configuration
    procedures  the routines -#}
// The class {{ class }}.

{% include "exceptions.bpl" %}
{% include "records.bpl" %}
{%- if heap %}
{% include "heap.bpl" %}
{%- endif %}
{%- if !machines.is_empty() %}
{% include "machine_integers.bpl" %}
{%- endif %}
{%- for opaque in opaques %}
type {{ opaque }};
{% endfor %}
{%- for e in enums %}
// enum {{ e.source }}: its values are 0 to {{ e.members.len() - 1 }}
type {{ e.name }} = int;
{%- for member in e.members %}
const {{ e.source }}.{{ member }}: {{ e.name }};
axiom {{ e.source }}.{{ member }} == {{ loop.index0 }};
{%- endfor %}
// what a cell that was never written stands for
function {:inline} {{ e.name }}.of(x: int): {{ e.name }} { if 0 <= x && x <= {{ e.members.len() - 1 }} then x else 0 }
{% endfor %}
// ---- The configuration
{% for global in globals %}
var {{ global.name }}: {{ global.ty }};  // {{ global.comment }}
{%- endfor %}

// ---- The routines
{% for procedure in procedures %}
{{ procedure }}
{% endfor -%}
