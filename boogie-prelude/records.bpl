{#- How values get onto a trace. #}
// Calls of these leave the value on the trace (Corral's convention); they do nothing else.
procedure boogie_si_record_int(x: int);
procedure boogie_si_record_bool(x: bool);
