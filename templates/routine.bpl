{#- A routine of the class as a Boogie procedure.
    comment   what it is in the source
    name      VendingMachine.insert_money
    params    its parameters with types; `this` first where its objects live in the heap
    returns   its results with types; `thrown` last where it may end in an exception
    modifies  the globals it may change
    locals    its local variables
    thrown    whether it has a variable `thrown`: as a result, or as a local variable where it catches all
    body      its statements, indented -#}
// {{ comment }}
procedure {{ name }}({{ params }}){% if !returns.is_empty() %} returns ({{ returns }}){% endif %}
{%- if !modifies.is_empty() %}
  modifies {{ modifies }};
{%- endif %}
{
{%- for (name, ty) in locals %}
  var {{ name }}: {{ ty }};
{%- endfor %}
{%- if thrown %}
  thrown := Exception.none;
{%- endif %}
{{ body }}}
