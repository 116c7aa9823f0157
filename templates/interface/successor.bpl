{#- Can the call end anywhere that is not known yet, or just where it is wanted?
    q           the frame
    observed    what the caller sees, as a number; none for a constructor
    predicates  a flag and its formula each
    known       none of these
    wanted      this, if anything -#}
{%- include "before.bpl" %}
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
{%- for (flag, formula) in predicates %}
  {{ flag }} := {{ formula }};
  call {:cexpr "{{ flag }}"} boogie_si_record_bool({{ flag }});
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
