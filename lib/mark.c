/* mark - processes known by a variable in their environment */

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "mark.h"
#include "x.h"

/* /proc/PID/environ: the variables, each with a NUL behind it (proc(5)); empty for a zombie. */
static bool
has_mark(const char *pid, const char *mark)
{
	auto_free char *path = x_printf("/proc/%s/environ", pid);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_buf struct buf text = {0};

	if (fd == -1 || fd_read_all(fd, &text, 4 << 20) == -1)
		return false;
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		if (strcmp(text.data + at, mark) == 0)
			return true;
	return false;
}

static int
kill_marked(const char *mark)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int found = proc == NULL ? 1 : 0;

	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		auto_close int held = -1;

		if (!isdigit((unsigned char)entry->d_name[0]) || !has_mark(entry->d_name, mark))
			continue;
		found++;
		/* The number may be another's by now: look again at what is held. */
		held = (int)syscall(SYS_pidfd_open, (pid_t)strtol(entry->d_name, NULL, 10), 0);
		if (held != -1 && has_mark(entry->d_name, mark))
			syscall(SYS_pidfd_send_signal, held, SIGKILL, NULL, 0);
	}
	if (proc != NULL)
		closedir(proc);
	return found;
}

int
mark_end(const char *mark, int64_t deadline)
{
	for (int looks = 0; looks < 2;) {
		looks = kill_marked(mark) == 0 ? looks + 1 : 0;
		if (looks == 0 && clock_left(deadline) == 0)
			return -1;
		if (looks == 0)
			clock_sleep(5, deadline);
	}
	return 0;
}
