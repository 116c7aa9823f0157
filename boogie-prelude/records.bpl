{#- How values get onto a trace.  recorders: what is recorded besides: a word and its type #}
// Calls of these leave the value on the trace (Corral's convention); they do nothing else.
procedure boogie_si_record_int(x: int);
procedure boogie_si_record_bool(x: bool);
{%- for (word, ty) in recorders %}
procedure boogie_si_record_{{ word }}(x: {{ ty }});
{%- endfor %}
