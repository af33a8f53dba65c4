/* accept_rules - the acceptance rules: programs for jq, one a file, run in one jq process */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accept_rules.h"
#include "clock.h"
#include "fd.h"
#include "profile.h"
#include "setting.h"
#include "stop.h"
#include "tree.h"
#include "x.h"

enum {
	RUN_MS = 30000,
	END_MS = 2000,
	OUTPUT_MOST = 8 << 20,
	WORDS_MOST = 4096
};

/* One jq process. */
struct jq {
	struct tree tree;
	int out, words; /* its standard output and error */
	int64_t deadline;
};

static int
failed(struct fault *f, const char *why)
{
	return fault_set(f, STATUS_TROUBLE, "rules_failed", "the acceptance rules: %s", why);
}

static int
start(struct jq *jq, const char *share, const char *program, int input, struct fault *f)
{
	auto_free char *rules = x_printf("%s/rules", share);
	auto_free char *path = x_printf("PATH=%s", setting_text("PATH", "/usr/local/bin:/usr/bin:/bin"));
	const char *argv[] = {"jq", "-c", "-L", rules, program, NULL};
	/* Without a home: jq would read programs of the user's from there. */
	const char *envp[] = {path, NULL};
	auto_close int out = -1;
	int ends[2];

	*jq = (struct jq) {.out = -1, .words = fd_memory("jq"), .deadline = clock_deadline(RUN_MS)};
	if (pipe2(ends, O_CLOEXEC) == -1)
		err(STATUS_TROUBLE, "pipe");
	jq->out = ends[0];
	out = ends[1];
	if (tree_start(
	        &(struct tree_spec) {.argv = argv, .envp = envp, .stdio = {input, out, jq->words}, .alone = true},
	        &jq->tree) == 0)
		return 0;
	return fault_set(f, STATUS_TROUBLE, "rules_failed", "jq: %s", strerror(jq->tree.error));
}

/* All that it prints, and its end. */
static int
collect(struct jq *jq, struct buf *output, struct fault *f)
{
	ssize_t n = 1;

	while (n > 0 && output->len <= OUTPUT_MOST) {
		switch (tree_wait_reading(&jq->tree, jq->out, jq->deadline)) {
		case TREE_DEADLINE:
			return failed(f, "jq did not end in time");
		case TREE_STOPPED:
			return fault_set(f, 128 + stop_signal(), "stopped", "stopped by signal %d", stop_signal());
		default:
			n = read(jq->out, buf_reserve(output, BUFSIZ), BUFSIZ);
			output->len += n > 0 ? (size_t)n : 0;
		}
	}
	if (n > 0)
		return failed(f, "jq printed more than they can find");
	return tree_wait(&jq->tree, jq->deadline) == TREE_ENDED ? 0 : failed(f, "jq did not end in time");
}

static int
explain(struct jq *jq, struct fault *f)
{
	char words[WORDS_MOST];
	ssize_t n = pread(jq->words, words, sizeof words - 1, 0);

	words[n > 0 ? n : 0] = '\0';
	return fault_set(f, STATUS_TROUBLE, "rules_failed", "the acceptance rules: jq ended with %d: %.400s",
	    jq->tree.status, words);
}

/* The one value that PROGRAM makes of INPUT, a new reference; NULL and a fault. */
static json_t *
run(const char *share, const char *program, int input, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	auto_buf struct buf output = {0};
	json_t *value = NULL;
	struct jq jq;

	if (start(&jq, share, program, input, f) == 0) {
		if (collect(&jq, &output, f) == 0 && jq.tree.status != 0)
			explain(&jq, f);
		stop_hold(true);
		tree_end(&jq.tree, 0, clock_deadline(END_MS));
		stop_hold(false);
	}
	close(jq.out);
	close(jq.words);
	if (!fault_is(f) && (value = json_parse_any(output.data, output.len, why)) == NULL)
		failed(f, why);
	return value;
}

static bool
is_rule(const char *share, const char *rule)
{
	auto_free char *file = x_printf("%s/rules/%s.jq", share, rule);

	return profile_is_rule(rule) && access(file, R_OK) == 0;
}

json_t *
accept_rules_run(const char *share, const json_t *rules, int input, struct fault *f)
{
	auto_buf struct buf program = {0}, calls = {0};
	const json_t *value;
	size_t i;

	buf_text(&program, "include \"lib/bundle\"; include \"lib/report\"; ");
	json_array_foreach (rules, i, value) {
		const char *rule = json_string_value(value);

		if (!is_rule(share, rule)) {
			fault_fill(f, STATUS_TROUBLE, "rule_unknown", "%s/rules: no rule '%s'", share, rule);
			return NULL;
		}
		buf_printf(&program, "import \"%s\" as %s; ", rule, rule);
		buf_printf(&calls, "%sreport(\"%s\"; %d; %s::check)", i > 0 ? ", " : "", rule, ACCEPT_FOUND_MOST, rule);
	}
	buf_printf(&program, "view | [%s]", calls.len > 0 ? calls.data : "");
	return run(share, program.data, input, f);
}

json_t *
accept_rules_tell(const char *share, const json_t *rules, struct fault *f)
{
	auto_close int input = -1;
	auto_buf struct buf text = {0};

	json_add_text(&text, rules);
	input = fd_memory_with("input", text.data, text.len);
	return run(share, "map({rule: ., meta: modulemeta})", input, f);
}
