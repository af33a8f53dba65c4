/* e2b_token - the file that stands for a sandbox of E2B: held while it is made, it keeps the token of its ports */

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "e2b_token.h"
#include "e2b.h"
#include "fd.h"
#include "holding.h"
#include "path.h"
#include "x.h"

static char *
place(const struct site *s, const char *name)
{
	auto_free char *dir = x_printf("%s/e2b", s->e2b.state);

	path_make_private(dir);
	return x_printf("%s/%s", dir, name);
}

int
e2b_token_hold(const struct site *s, const char *name, struct fault *f)
{
	auto_free char *path = place(s, name);
	auto_close int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd == -1 || flock(fd, LOCK_EX | LOCK_NB) == -1)
		return fault_errno(f, STATUS_TROUBLE, "write_failed", "%s", path);
	return x_steal_fd(&fd);
}

/* Written in place, since the lock is on this very file. A token that was cut short opens no port, and does no more harm. */
int
e2b_token_keep(const struct site *s, const char *name, const char *token, struct fault *f)
{
	auto_free char *path = place(s, name);
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd == -1 || fd_write(fd, token, strlen(token)) == -1 || fsync(fd) == -1)
		return fault_errno(f, STATUS_TROUBLE, "write_failed", "%s", path);
	return 0;
}

bool
e2b_token_is_held(const struct site *s, const char *name)
{
	auto_free char *path = place(s, name);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd != -1 && flock(fd, LOCK_SH | LOCK_NB) == -1;
}

void
e2b_token_drop(const struct site *s, const char *name)
{
	auto_free char *path = place(s, name);

	unlink(path);
}

static int
note_row(const struct holding *h, void *there, struct fault *f)
{
	(void)f;
	*(bool *)there = strcmp(h->state, "gone") != 0;
	return 1;
}

static int
tidy_name(const struct site *s, const char *name, struct fault *f)
{
	bool there = false;

	/* Looked at first: a program that holds it now may have its row by the time that we look for one. */
	if (name[0] == '.' || e2b_token_is_held(s, name))
		return 0;
	if (holding_find(s, e2b_provider.name, name, note_row, &there, f) == -1)
		return -1;
	if (!there)
		e2b_token_drop(s, name);
	return 0;
}

int
e2b_token_tidy(const struct site *s, struct fault *f)
{
	auto_free char *dir = place(s, ".");
	struct dirent **entries;
	int count = scandir(dir, &entries, NULL, NULL), status = 0;

	if (count == -1)
		return fault_errno(f, STATUS_TROUBLE, "read_failed", "%s", dir);
	for (int i = 0; i < count; i++) {
		if (status == 0)
			status = tidy_name(s, entries[i]->d_name, f);
		free(entries[i]);
	}
	free(entries);
	return status;
}
