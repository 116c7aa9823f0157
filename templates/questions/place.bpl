{#- Can the call end anywhere that is not known yet, or just where it is wanted?
    q: the start; c: the call
    observed    what the caller sees, as a number; none for a constructor
    predicates  a flag each
    known       none of these
    wanted      this, if anything -#}
{%- include "start.bpl" %}
{%- include "call.bpl" %}
{%- match observed %}
{%- when Some with (term) %}
  // what the caller sees
  observed := {{ term }};
  call {:cexpr "observed"} boogie_si_record_int(observed);
{%- when None %}
{%- endmatch %}
{%- if !predicates.is_empty() %}
  // which predicates hold now
{%- for flag in predicates %}
  {{ flag.statement }}
  call {:cexpr "{{ flag.name }}"} boogie_si_record_bool({{ flag.name }});
{%- endfor %}
{%- endif %}
{%- if !known.is_empty() %}
  // none of the ends known already
{%- for end in known %}
  assume {{ end }};
{%- endfor %}
{%- endif %}
{%- match wanted %}
{%- when Some with (end) %}
  // this end
  assume {{ end }};
{%- when None %}
{%- endmatch %}
{%- include "reached.bpl" %}
