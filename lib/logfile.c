/* logfile - a log of bounded size: the newest bytes of what was written, in a file and the one before it */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "logfile.h"
#include "x.h"

/* What else runs here may have left a pipe in the file's place, to hold us up or to end us by a signal. */
static void
open_file(struct logfile *l, int more)
{
	struct stat st;

	if (lstat(l->path, &st) == 0 && !S_ISREG(st.st_mode))
		unlink(l->path);
	l->fd =
	    open(l->path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC | more, 0600);
	l->size = 0;
	if (l->fd == -1)
		return;
	if (fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode)) {
		l->size = (size_t)st.st_size;
		return;
	}
	close(l->fd);
	l->fd = -1;
}

void
logfile_open(struct logfile *l, const char *path)
{
	*l = (struct logfile) {.path = x_strdup(path), .before = x_printf("%s.1", path)};
	open_file(l, 0);
}

/* Where renaming fails the old bytes go, so that the bound holds in any case. */
static void
turn(struct logfile *l)
{
	if (l->fd != -1)
		close(l->fd);
	open_file(l, rename(l->path, l->before) == 0 ? 0 : O_TRUNC);
}

static void
put(struct logfile *l, const char *bytes, size_t len)
{
	ssize_t n = l->fd == -1 ? -1 : write(l->fd, bytes, len);

	l->size += n > 0 ? (size_t)n : 0;
	l->lost += len - (n > 0 ? (size_t)n : 0);
}

/* A gap is told where it is, as soon as there is room for a word about it. */
static void
tell_lost(struct logfile *l)
{
	char words[80];
	int len =
	    snprintf(words, sizeof words, "\n[sbx-supervise: %llu bytes lost here]\n", (unsigned long long)l->lost);

	if (l->fd != -1 && write(l->fd, words, (size_t)len) == len) {
		l->size += (size_t)len;
		l->lost = 0;
	}
}

void
logfile_write(struct logfile *l, const char *bytes, size_t len)
{
	while (len > 0) {
		size_t n = len < LOGFILE_BYTES ? len : LOGFILE_BYTES;

		if (l->fd == -1)
			open_file(l, 0);
		if (l->size + n > LOGFILE_BYTES)
			turn(l);
		if (l->lost > 0)
			tell_lost(l);
		put(l, bytes, n);
		bytes += n;
		len -= n;
	}
}

void
logfile_close(struct logfile *l)
{
	if (l->fd != -1)
		close(l->fd);
	free(l->path);
	free(l->before);
	*l = (struct logfile) {.fd = -1};
}
