#!/usr/bin/env bats
# sbx - the front door

load common

@test "alone it lists every other program with its title" {
	run sbx
	assert_success
	assert_line --index 0 --partial 'usage: sbx'
	for name in $(ls "$BUILD/bin"); do
		[ "$name" = sbx ] || assert_line --regexp "^  $name +[a-z]"
	done
}

@test "it runs a program with its arguments and gives its status" {
	run sbx within -- sh -c 'echo "$1"; exit 7' sh 'a  b'
	assert_failure 7
	assert_output 'a  b'
}

@test "an unknown program is trouble, and says where to look" {
	run sbx nonesuch
	assert_failure 2
	assert_output 'sbx: sbx-nonesuch: no such program (sbx lists them)'
}
