/* ground - what the lowest floor promises and no program shows directly */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "fault.h"
#include "fd.h"
#include "id.h"
#include "json.h"
#include "path.h"
#include "x.h"

#define check(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

static _Noreturn void
fail(const char *condition, int line)
{
	fprintf(stderr, "ground.c:%d: not so: %s\n", line, condition);
	exit(1);
}

static void
statuses_are_ordered(void)
{
	static const int best_first[] = {0, 1, 75, 2, 125, 130, 3};
	size_t n = sizeof best_first / sizeof *best_first;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			check(status_worse(best_first[i], best_first[j]) == best_first[i > j ? i : j]);
}

static void
faults_keep_the_first_cause_on_one_line(void)
{
	struct fault f = {0};

	check(!fault_is(&f));
	check(fault_set(&f, STATUS_NO, "first", "a\nb\xff%s", "c") == -1);
	fault_set(&f, STATUS_DOUBT, "second", "later");
	check(strcmp(f.reason, "first") == 0 && f.status == STATUS_NO);
	check(strcmp(f.message, "a?b?c") == 0);
	fault_clear(&f);
	errno = ENOENT;
	fault_errno(&f, STATUS_TROUBLE, "gone", "x");
	check(strcmp(f.message, "x: No such file or directory") == 0);
	fault_clear(&f);
}

static void
times_are_text(void)
{
	char text[CLOCK_TEXT];

	clock_format(951782400007, text);
	check(strcmp(text, "2000-02-29T00:00:00.007Z") == 0);
	check(clock_parse(text) == 951782400007);
	check(clock_parse("2000-02-30T00:00:00.007Z") == -1 && clock_parse("2000-02-29T00:00:00.007") == -1);
	check(clock_parse("2000-02-29 00:00:00.007Z") == -1 && clock_parse("") == -1);
	check(clock_left(clock_deadline(-5)) == 0);
	check(clock_left(clock_deadline(60000)) > 50000);
}

static void
ids_differ(void)
{
	char a[ID_RUN + 1], b[ID_RUN + 1];

	id_hex(a, ID_RUN);
	id_hex(b, ID_RUN);
	check(id_is_hex(a, ID_RUN) && id_is_hex(b, ID_RUN) && strcmp(a, b) != 0);
	check(!id_is_hex("ABCDEF0123456789ABCDEF0123456789", ID_RUN));
	check(!id_is_hex("../../../../../../../../../../etc", ID_RUN));
}

static void
bytes_become_text(void)
{
	json_t *value = json_lossy("a\xc3\xa4\xff" "b\xe2\x82", 7), *empty = json_lossy(NULL, 0);

	check(strcmp(json_string_value(value), "a\xc3\xa4\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd") == 0);
	json_decref(value);
	value = json_lossy("a\0b", 3);
	check(strcmp(json_string_value(value), "a\xef\xbf\xbd" "b") == 0);
	json_decref(value);
	check(strcmp(json_string_value(empty), "") == 0);
	json_decref(empty);
}

static void
files_are_whole_or_old(const char *dir)
{
	auto_free char *path = x_printf("%s/file", dir), *nowhere = x_printf("%s/no/file", dir);
	auto_buf struct buf text = {0};
	struct fault f = {0};
	struct stat st;
	int fd;

	check(path_write(path, "one", 3, &f) == 0 && path_write(path, "two!", 4, &f) == 0);
	check((fd = open(path, O_RDONLY)) != -1 && fd_read_all(fd, &text, 100) == 0 && strcmp(text.data, "two!") == 0);
	check(fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0600);
	close(fd);
	check(path_write(nowhere, "x", 1, &f) == -1 && strcmp(f.reason, "write_failed") == 0);
	fault_clear(&f);
}

/* A link inside points at a directory outside: the link goes, what it points at stays. */
static void
removal_follows_no_link(const char *dir)
{
	auto_free char *tree = x_printf("%s/tree", dir), *deep = x_printf("%s/tree/a", dir);
	auto_free char *kept = x_printf("%s/file", dir), *link = x_printf("%s/tree/a/link", dir);
	struct fault f = {0};

	check(mkdir(tree, 0700) == 0 && mkdir(deep, 0700) == 0 && symlink(dir, link) == 0);
	check(path_remove(tree, &f) == 0 && access(tree, F_OK) == -1 && access(kept, F_OK) == 0);
	check(path_remove(tree, &f) == 0);
}

int
main(void)
{
	auto_free char *dir = x_strdup("/tmp/sbx-ground.XXXXXX");
	struct fault f = {0};

	check(mkdtemp(dir) != NULL);
	statuses_are_ordered();
	faults_keep_the_first_cause_on_one_line();
	times_are_text();
	ids_differ();
	bytes_become_text();
	files_are_whole_or_old(dir);
	removal_follows_no_link(dir);
	check(path_remove(dir, &f) == 0);
	return 0;
}
