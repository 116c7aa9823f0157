{#- The class as a Boogie program, to which each question adds its entry procedure.
    class       the class under analysis
    handles     whether some routine throws, or has a handler
    exceptions  the exceptions in use, with their numbers
    machines    the machine integer types in use
    supported   the types of maps that have one value at all keys but a few
    shares      whether of shares only what is linear is said
    enums       the enums with their values
    opaques     the opaque types, and their values with names
    recorders   what is recorded besides numbers and truth values: a word and its type
    heap        whether there are objects or arrays besides the one under analysis
    globals     the variables that hold the configuration
    start       the globals whose content when a question starts is spoken of later
    changed     what code without a body left in them last
    broken      what says of a map whether a value was written to it that its type does not have
    procedures  the routines -#}
// The class {{ class }}.
{% include "records.bpl" %}
{%- if handles %}
{% include "exceptions.bpl" %}
{%- endif %}
{%- if heap %}
{% include "heap.bpl" %}
{%- endif %}
{%- if !machines.is_empty() %}
{% include "machine_integers.bpl" %}
{%- endif %}
{%- if !supported.is_empty() %}
{% include "support.bpl" %}
{%- endif %}
{%- if shares %}
{% include "shares.bpl" %}
{%- endif %}
{%- if !opaques.is_empty() %}

// Values that can only be compared.
{%- for opaque in opaques %}
type {{ opaque.name }};
{%- for value in opaque.values %}
const unique {{ opaque.name }}.{{ value }}: {{ opaque.name }};
{%- endfor %}
{%- endfor %}
{%- endif %}
{%- for e in enums %}

// enum {{ e.source }}: its values are 0 to {{ e.members.len() - 1 }}.
type {{ e.name }} = int;
{%- for member in e.members %}
const {{ e.name }}.{{ member }}: {{ e.name }};
axiom {{ e.name }}.{{ member }} == {{ loop.index0 }};
{%- endfor %}
// What a cell that was never written stands for.
function {:inline} {{ e.name }}.of(x: int): {{ e.name }} { if 0 <= x && x <= {{ e.members.len() - 1 }} then x else 0 }
{%- endfor %}

// ---- The configuration
{% for global in globals %}
var {{ global.name }}: {{ global.ty }};  // {{ global.comment }}
{%- endfor %}
{%- if !start.is_empty() %}

// What there is when a question starts.
{%- for (name, ty) in start %}
const start.{{ name }}: {{ ty }};
{%- endfor %}
{%- endif %}
{%- if !changed.is_empty() %}

// What routines without a body left last in a field of all objects, and how many objects there were then.
{%- for (name, ty) in changed %}
var {{ name }}: {{ ty }};
{%- endfor %}
{%- endif %}
{%- if !broken.is_empty() %}

// Whether something was written to a map that breaks what its type promises of each value.
{%- for name in broken %}
var {{ name }}: bool;
{%- endfor %}
{%- endif %}

// ---- The routines
{% for procedure in procedures %}
{{ procedure }}
{% endfor %}
