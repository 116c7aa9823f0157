{#- The automaton as a program: what is added to the class's program.
    states      the states: number, and the names of the actions that can be called
    procedures  the constructors, the calls from each state, the states -#}
// ---- The automaton, read as a control-flow graph

// The state that the object is in: 0 where there is no object, and
{%- for (number, names) in states %}
//   {{ number }}  { {{ names }} }
{%- endfor %}
var $state: int;
// The number of the edge that was taken last.
var $edge: int;
{% for procedure in procedures %}
{{ procedure }}
{% endfor %}

