/* cli - the command-line face that all programs share: options, usage, messages */

#include <bsd/stdlib.h>
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "x.h"

bool cli_quiet, cli_verbose;

static const struct cli_option common[] = {
    {'h', "help", NULL, "print this help", NULL, NULL},
    {'q', "quiet", NULL, "say nothing on standard error", cli_flag, &cli_quiet},
    {'v', "verbose", NULL, "explain what is done", cli_flag, &cli_verbose},
    {'V', "version", NULL, "print the version", NULL, NULL},
    {0},
};

enum {
	OPTIONS_MAX = 32,
	NO_LETTER = 256 /* long-only options get numbers from here */
};

static void
print_option(const struct cli_option *o)
{
	auto_free char *left = x_printf("--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");

	if (o->letter)
		printf("  -%c, %-22s %s\n", o->letter, left, o->text);
	else
		printf("      %-22s %s\n", left, o->text);
}

static _Noreturn void
print_help(const struct cli *c)
{
	const char *form = c->operands;
	/* A verb with a page of its own is called by two words, and its page by one. */
	auto_free char *page = x_strdup(getprogname());

	page[strcspn(page, " ")] = page[strcspn(page, " ")] == ' ' ? '-' : '\0';
	printf("usage: %s [option ...]%s%.*s\n", getprogname(), strcspn(form, "\n") > 0 ? " " : "",
	    (int)strcspn(form, "\n"), form);
	for (form += strcspn(form, "\n"); *form == '\n'; form += strcspn(form, "\n")) {
		form++;
		printf("       %s [option ...] %.*s\n", getprogname(), (int)strcspn(form, "\n"), form);
	}
	printf("\n%c%s.\n\n", toupper((unsigned char)c->title[0]), c->title + 1);
	for (const struct cli_option *o = c->options; o->name != NULL; o++)
		print_option(o);
	for (const struct cli_option *o = common; o->name != NULL; o++)
		print_option(o);
	printf("\nThe manual page %s(1) has the rest.\n", page);
	exit(cli_end(0));
}

/* getopt_long's two forms of TABLE, appended behind what is there already. */
static size_t
add_options(
    const struct cli_option *table, const struct cli_option **known, struct option *longs, char *letters, size_t n)
{
	for (const struct cli_option *o = table; o->name != NULL; o++, n++) {
		int value = o->letter ? o->letter : NO_LETTER + (int)n;

		if (n == OPTIONS_MAX)
			errx(2, "more than %d options", OPTIONS_MAX);
		known[n] = o;
		longs[n] = (struct option) {o->name, o->arg ? required_argument : no_argument, NULL, value};
		if (o->letter) {
			letters += strlen(letters);
			snprintf(letters, 3, "%c%s", o->letter, o->arg ? ":" : "");
		}
	}
	return n;
}

static void
apply(const struct cli *c, const struct cli_option *o)
{
	if (o->set != NULL)
		o->set(o, optarg);
	else if (o->letter == 'h')
		print_help(c);
	else {
		printf("%s (sbx) %s\n", getprogname(), SBX_VERSION);
		exit(cli_end(0));
	}
}

/*
 * A program that is started without one of the three standard descriptors would take the next file it opens for it. Reading
 * from, or writing to, what stands in is an error or the end.
 */
static void
fill_descriptors(void)
{
	int fd;

	while ((fd = open("/dev/null", O_RDONLY)) != -1 && fd <= STDERR_FILENO)
		;
	close(fd);
}

void
cli_parse(const struct cli *c, int *argc, char ***argv)
{
	const struct cli_option *known[OPTIONS_MAX];
	struct option longs[OPTIONS_MAX + 1] = {0};
	char letters[2 * OPTIONS_MAX + 3];
	size_t n;
	int found;

	fill_descriptors();
	strcpy(letters, c->command ? "+:" : ":");
	n = add_options(common, known, longs, letters, 0);
	n = add_options(c->options, known, longs, letters, n);
	opterr = 0;
	while ((found = getopt_long(*argc, *argv, letters, longs, NULL)) != -1) {
		if (found == ':')
			cli_usage("option '%s' needs an argument", (*argv)[optind - 1]);
		if (found == '?' && optopt && optopt < NO_LETTER && !strchr(letters, optopt))
			cli_usage("unknown option '-%c'", optopt);
		if (found == '?')
			cli_usage("unknown or ambiguous option '%s'", (*argv)[optind - 1]);
		for (size_t i = 0; i < n; i++)
			if (longs[i].val == found)
				apply(c, known[i]);
	}
	*argc -= optind;
	*argv += optind;
}

/* Is it one of the options that all programs have, or letters of several? */
static bool
is_common(const char *word)
{
	for (const struct cli_option *o = common; o->name != NULL; o++)
		if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0)
			return true;
	return word[0] == '-' && word[1] != '\0' && word[1 + strspn(word + 1, "hqvV")] == '\0';
}

const char *
cli_verb(char *const *argv)
{
	do
		argv++;
	while (*argv != NULL && is_common(*argv));
	return *argv != NULL ? *argv : "";
}

void
cli_flag(const struct cli_option *o, const char *arg)
{
	(void)arg;
	*(bool *)o->to = true;
}

void
cli_text(const struct cli_option *o, const char *arg)
{
	if (arg[strspn(arg, " \t")] == '\0')
		cli_usage("--%s must not be blank", o->name);
	*(const char **)o->to = arg;
}

static long long
number(const struct cli_option *o, const char *arg, long long most)
{
	const char *wrong;
	long long value = strtonum(arg, 1, most, &wrong);

	if (wrong != NULL)
		cli_usage("--%s takes a whole number from 1 to %lld, not '%s'", o->name, most, arg);
	return value;
}

void
cli_seconds(const struct cli_option *o, const char *arg)
{
	*(long long *)o->to = number(o, arg, 86400);
}

void
cli_port(const struct cli_option *o, const char *arg)
{
	*(int *)o->to = (int)number(o, arg, 65535);
}

void
cli_list(const struct cli_option *o, const char *arg)
{
	struct cli_words *list = o->to;

	list->word = x_realloc(list->word, list->count + 1, sizeof *list->word);
	list->word[list->count++] = arg;
}

void
cli_usage(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: ", getprogname());
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, " (see %s -h)\n", getprogname());
	exit(2);
}

static void __attribute__((format(printf, 1, 0))) say(const char *format, va_list ap)
{
	auto_free char *text = NULL;

	if (vasprintf(&text, format, ap) != -1)
		fprintf(stderr, "%s: %s\n", getprogname(), text);
}

void
cli_warn(const char *format, ...)
{
	va_list ap;

	if (cli_quiet)
		return;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

void
cli_explain(const char *format, ...)
{
	va_list ap;

	if (!cli_verbose || cli_quiet)
		return;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

int
cli_end(int status)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) == 0 && !failed)
		return status;
	if (errno == EPIPE)
		return 2;
	warn("standard output");
	return status == 3 ? 3 : 2;
}
