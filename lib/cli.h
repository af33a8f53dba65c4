/* cli - the command-line face that all programs share: options, usage, messages */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>

struct cli_option {
	int letter; /* 0: a long name only */
	const char *name;
	const char *arg;  /* what usage calls the argument; NULL: takes none */
	const char *text; /* one sentence without a full stop */
	void (*set)(const struct cli_option *, const char *arg);
	void *to; /* what set stores to */
};

struct cli {
	const char *title;                /* SBX_TITLE: the first line of the program's source */
	const char *operands;             /* "FILE|DIR"; lines of it when there are several forms */
	const struct cli_option *options; /* ends with a zero entry; -h, -q, -v and -V come by themselves */
	bool command;                     /* the operands are a command: options end at the first of them */
};

/*
 * Take the options out of ARGV and store them; what is left are the operands. -h prints the usage and ends the program;
 * a wrong option ends it with 2.
 */
void cli_parse(const struct cli *, int *argc, char ***argv);

/* The first word that is none of the options of all programs, before cli_parse: a verb with a table of its own. "" when there is none. */
const char *cli_verb(char *const *argv);

/* Setters. A wrong argument ends the program with 2. */
void cli_flag(const struct cli_option *, const char *);    /* bool */
void cli_text(const struct cli_option *, const char *);    /* const char *, not blank */
void cli_seconds(const struct cli_option *, const char *); /* long long, 1 .. 86400 */
void cli_port(const struct cli_option *, const char *);    /* int, 1 .. 65535 */
void cli_list(const struct cli_option *, const char *);    /* struct cli_words; may be given again */

struct cli_words {
	const char **word; /* borrowed from argv */
	size_t count;
};

/* End the program with 2 and "sbx-NAME: message (see sbx-NAME -h)". */
_Noreturn void cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "sbx-NAME: message" on stderr, silent under -q; cli_explain speaks only under -v. */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_explain(const char *format, ...) __attribute__((format(printf, 1, 2)));

extern bool cli_quiet, cli_verbose;

/* Flush stdout and give STATUS, or 2 with a message when what was written did not arrive. Ends every main. */
int cli_end(int status);

#endif
