#!/bin/sh
# The real Boogie, except that some questions end badly. Which ones, and how, follows from the question's text and the
# file `plan` beside this script: `SEED RATE FAULTS`, where one question in RATE ends in one of FAULTS (by commas).
# An answer is remembered in `answers`, so that the real one is run once for each question. What was started, and where,
# is noted in `pids` and `folders`.
here=$(dirname "$0")
read -r seed rate faults < "$here/plan"
echo $$ >> "$here/pids"
pwd >> "$here/folders"

for argument; do
  case $argument in
    --help | /version) exec boogie "$argument" ;;
    /proverLog:*) log=${argument#/proverLog:} ;;
  esac
done

question=$(cksum < q.bpl | tr -d ' ')
answer=$here/answers/$question

answer() {
  if ! [ -e "$answer.out" ]; then
    boogie "$@" > "$answer.$$.new" || exit 1
    cp "$log" "$answer.log"
    mv "$answer.$$.new" "$answer.out"
  fi
  cp "$answer.log" "$log"
  cat "$answer.out"
}

# An answer that must not count: the real one where it is known, else one that would lose an edge.
discounted() {
  if [ -e "$answer.out" ]; then
    answer
  else
    printf '(check-sat)\n' > "$log"
    printf '\nBoogie program verifier finished with 1 verified, 0 errors\n'
  fi
}

# Children that only SIGKILL ends, and that hold the pipes.
stubborn() {
  for _ in 1 2; do
    (trap '' TERM HUP INT QUIT; exec sleep 1000) &
    echo $! >> "$here/pids"
  done
}

number=$(printf '%s %s' "$seed" "$question" | cksum | cut -d ' ' -f 1)
fault=none
if [ $((number % rate)) -eq 0 ]; then
  choices=$(echo "$faults" | tr ',' ' ')
  count=$(echo "$choices" | wc -w)
  fault=$(echo "$choices" | cut -d ' ' -f $((number / rate % count + 1)))
fi
echo "$fault" >> "$here/faults"
# As .NET does, which takes it away again only if it is not killed.
: > "${TMPDIR:-/tmp}/left-by-the-engine-$$"
case $fault in
  none) answer "$@" ;;
  killed) kill -9 $$ ;;
  killed-late) discounted; kill -9 $$ ;;
  family-killed) stubborn; kill -9 $$ ;;
  hang) stubborn; sleep 1000 ;;
  deaf-hang) trap '' TERM HUP INT QUIT; sleep 1000; sleep 1000 ;;
  garbage) head -c 3000 /dev/urandom ;;
  silence) ;;
  truncated) discounted | head -c $((number % 50)) ;;
  flood) yes ;;
  flood-stderr) yes >&2 ;;
  memory) tail /dev/zero ;;
  fail) echo 'something broke' >&2; exit 1 ;;
  *) echo "no such fault: $fault"; exit 9 ;;
esac
