{#- Maps that have one value at all keys but a few.  supported: a word for the type of the map, the type, the type of its values #}
// What a map has at all keys but a few. (To Boogie a function of which nothing is known.)
{%- for map in supported %}
function {:smt "default"} mostly.{{ map.word }}(map: {{ map.ty }}): {{ map.value }};
{%- endfor %}
