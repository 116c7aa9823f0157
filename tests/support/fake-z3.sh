#!/bin/sh
# A Z3 for tests: it does what the file `behaviour` says, beside the link it is called by. (A script that was just written
# cannot always be run: another thread may be starting a process, and hold it open.)
. "$(dirname "$0")/behaviour"
