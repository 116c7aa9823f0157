#!/bin/sh
# An engine that misbehaves, for tests. The file `behaviour` beside the link it is called by says how.
# What it starts and where it runs is noted in the files `pids` and `folder` there.
here=$(dirname "$0")
read -r how number < "$here/behaviour"
echo $$ >> "$here/pids"
pwd > "$here/folder"

for argument; do
  case $argument in
    /proverLog:*) printf '(check-sat)\n(labels)\n' > "${argument#/proverLog:}" ;;
  esac
done

reached() {
  cat <<END
Prover error: line 18 column 28: unknown parameter 'model_compress'
Legal parameters are:
  auto_config (bool) (default: true)
  unicode (bool)
q.bpl(4,3): Error BP5001: This assertion might not hold.
Execution trace:
    q.bpl(2,3): anon0
    value = 7

Boogie program verifier finished with 0 verified, 1 error
END
}

# Three processes that only SIGKILL ends, which hold the pipes.
stubborn() {
  for _ in 1 2 3; do
    (trap '' TERM HUP INT QUIT; exec sleep 1000) &
    echo $! >> "$here/pids"
  done
}

case $how in
  reached) reached ;;
  unreachable) printf '\nBoogie program verifier finished with 1 verified, 0 errors\n' ;;
  hang) sleep 1000 ;;
  deaf-hang) trap '' TERM HUP INT QUIT; sleep 1000; sleep 1000 ;;
  lingering) reached; sleep 1000 ;;
  garbage) head -c 5000 /dev/urandom ;;
  truncated) reached | head -c "$number" ;;
  killed) reached | head -c "$number"; kill -9 $$ ;;
  flood) yes ;;
  flood-stderr) yes >&2 ;;
  flood-line) tr '\0' x < /dev/zero ;;
  flood-after) reached; yes ;;
  eat) tail /dev/zero ;;
  family) stubborn; reached ;;
  family-hang) stubborn; sleep 1000 ;;
  family-killed) stubborn; kill -9 $$ ;;
  fail) echo 'something broke' >&2; exit 1 ;;
  fail-after) reached; exit 1 ;;
  warn) reached; echo 'something odd' >&2 ;;
  print) echo x > corral_out.bpl; cat "$here/output"; printf '%s\n' "$@" > "$here/arguments" ;;
  litter) mkdir -p a/b; echo x > a/b/c; echo x > .hidden; reached ;;
  *) echo "no such behaviour: $how"; exit 9 ;;
esac
