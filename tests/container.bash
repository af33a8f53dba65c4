# container - run things in a container behind the programs' back, by the Engine's API

# json PATH - POST the JSON on standard input
json() {
	docker_api POST "$1" -H 'Content-Type: application/json' -d @-
}

# in_container ID DIR COMMAND [ENVIRONMENT] - runs COMMAND, a line for sh, and has its output and its status
in_container() {
	local exec
	exec=$(jq -n --arg dir "$2" --arg command "$3" --argjson env "${4:-[]}" \
	    '{WorkingDir: $dir, Cmd: ["sh", "-c", $command], Env: $env, AttachStdout: true, AttachStderr: true}' |
	    json "/containers/$1/exec" | jq -r .Id)
	# The Engine cuts the two streams into frames: four bytes that name the stream, four with the length.
	echo '{}' | json "/exec/$exec/start" |
	    perl -e 'while (read(STDIN, $h, 8) == 8) { read(STDIN, $b, unpack("x4N", $h)); print $b }' |
	    sed 's/\x1b\[[0-9;]*m//g'
	return "$(docker_api GET "/exec/$exec/json" | jq .ExitCode)"
}
