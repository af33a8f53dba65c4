/* program - another program, run to its end for what it prints */

#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "program.h"
#include "setting.h"
#include "stop.h"
#include "tree.h"
#include "x.h"

enum {
	END_MS = 5000,
	ENV_MOST = 8,
	WORDS_MOST = 400 /* bytes of the end of its standard error that are passed on */
};

/* One at work. */
struct running {
	const struct program *program;
	struct tree tree;
	int out, words; /* what it prints, where memory is to have it; its standard error */
};

static int
failed(const struct running *r, struct fault *f, const char *why)
{
	return fault_set(
	    f, STATUS_TROUBLE, r->program->reason, "%s: %s %s", r->program->subject, r->program->argv[0], why);
}

static int
start(struct running *r, struct fault *f)
{
	const struct program *p = r->program;
	auto_free char *path = x_printf("PATH=%s", setting_text("PATH", "/usr/local/bin:/usr/bin:/bin"));
	const char *envp[ENV_MOST + 2] = {path};
	auto_close int out = -1;
	int ends[2];

	for (size_t i = 0; p->envp != NULL && p->envp[i] != NULL && i < ENV_MOST; i++)
		envp[i + 1] = p->envp[i];
	if (p->out == -1) {
		if (pipe2(ends, O_CLOEXEC) == -1 || fcntl(ends[0], F_SETFL, O_NONBLOCK) == -1)
			err(STATUS_TROUBLE, "pipe");
		r->out = ends[0];
		out = ends[1];
	}
	if (tree_start(&(struct tree_spec) {.argv = p->argv,
	                   .envp = envp,
	                   .cwd = p->cwd,
	                   .stdio = {p->in, p->out == -1 ? out : p->out, r->words},
	                   .alone = p->alone},
	        &r->tree) == 0)
		return 0;
	return fault_set(f, STATUS_TROUBLE, p->reason, "%s: %s", p->argv[0], strerror(r->tree.error));
}

/* What there is to read; false once there will be no more. Who is left of a program that ended may hold its output open for ever. */
static bool
take(const struct running *r, struct buf *output)
{
	ssize_t n = read(r->out, buf_reserve(output, BUFSIZ), BUFSIZ);

	output->len += n > 0 ? (size_t)n : 0;
	output->data[output->len] = '\0';
	return n > 0;
}

/* All that it prints, and its end. */
static int
follow(struct running *r, struct buf *output, struct fault *f)
{
	bool open = r->out != -1;

	for (;;) {
		switch (tree_wait_reading(&r->tree, open ? r->out : -1, r->program->deadline)) {
		case TREE_DEADLINE:
			return failed(r, f, "did not end in time");
		case TREE_STOPPED:
			return stop_fault(f);
		default:
			if (!open)
				return 0;
			open = take(r, output);
			if (output->len > r->program->most)
				return failed(r, f, "printed more than it should");
		}
	}
}

/* The end of what it said, on one line. */
static int
explain(const struct running *r, struct fault *f)
{
	char words[WORDS_MOST + 1];
	struct stat st = {0};
	ssize_t n;

	fstat(r->words, &st);
	n = pread(r->words, words, WORDS_MOST, st.st_size > WORDS_MOST ? st.st_size - WORDS_MOST : 0);
	while (n > 0 && words[n - 1] == '\n')
		n--;
	words[n > 0 ? n : 0] = '\0';
	for (char *p = words; (p = strchr(p, '\n')) != NULL;)
		*p = ' ';
	return fault_set(f, STATUS_TROUBLE, r->program->reason, "%s: %s ended with %d%s%s", r->program->subject,
	    r->program->argv[0], r->tree.status, *words ? ": " : "", words);
}

int
program_run(const struct program *p, struct buf *output, struct fault *f)
{
	struct running r = {.program = p, .out = -1, .words = fd_memory(p->argv[0])};
	int status = start(&r, f);

	if (status == 0) {
		status = follow(&r, output, f);
		if (status == 0 && r.tree.status != 0)
			status = explain(&r, f);
		stop_hold(true);
		tree_end(&r.tree, 0, clock_deadline(END_MS));
		stop_hold(false);
	}
	if (r.out != -1)
		close(r.out);
	close(r.words);
	return status;
}
