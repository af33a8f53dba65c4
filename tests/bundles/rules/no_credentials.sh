#!/bin/sh
# no_credentials - writes what looks like a key into DIR; it is put together here, so that no file of this tree looks like one
# usage: no_credentials.sh DIR
set -eu
printf 'export const key = "%s%s";\n' AKIA ABCDEFGHIJKLMNOP >"$1/components/key.ts"
