"""report - what the checks of this directory share: one fault a line, at most a hundred, and the exit status"""

import os
import sys

SHOWN = 100


def run(faults):
    """Look from the directory that the argument names, print what FAULTS() yields, exit 1 when there is any."""
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(faults())
    for fault in found[:SHOWN]:
        print(fault)
    if len(found) > SHOWN:
        print(f"and {len(found) - SHOWN} more")
    sys.exit(1 if found else 0)
