/* descend - the living descendants of this process */

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descend.h"
#include "x.h"

struct process {
	pid_t pid, parent;
	bool ours;
	bool alive;
};

struct table {
	struct process *process;
	size_t count;
};

/* State and parent from /proc/PID/stat (proc(5)); the name before them may hold anything, also ") ". */
static bool
read_process(pid_t pid, struct process *p)
{
	char path[32], stat[512], *after;
	auto_close int fd = -1;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 || (n = read(fd, stat, sizeof stat - 1)) <= 0)
		return false;
	stat[n] = '\0';
	if ((after = strrchr(stat, ')')) == NULL || after[1] != ' ')
		return false;
	*p = (struct process) {.pid = pid, .parent = (pid_t)strtol(after + 4, NULL, 10)};
	p->alive = after[2] != 'Z' && after[2] != 'X';
	return true;
}

static bool
read_all(struct table *t)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (proc == NULL)
		return false;
	while ((entry = readdir(proc)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		t->process = x_realloc(t->process, t->count + 1, sizeof *t->process);
		if (read_process((pid_t)strtol(entry->d_name, NULL, 10), &t->process[t->count]))
			t->count++;
	}
	closedir(proc);
	return true;
}

static bool
is_ours(const struct table *t, pid_t pid)
{
	if (pid == getpid())
		return true;
	for (size_t i = 0; i < t->count; i++)
		if (t->process[i].ours && t->process[i].pid == pid)
			return true;
	return false;
}

/* Mark children of what is marked until nothing new is: parents may be listed after their children. */
static void
mark(struct table *t)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < t->count; i++)
			if (!t->process[i].ours && is_ours(t, t->process[i].parent))
				t->process[i].ours = more = true;
	}
}

static void
send_to(const struct process *p, int signal)
{
	auto_close int pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	struct process now;

	if (pidfd != -1 && read_process(p->pid, &now) && now.parent == p->parent)
		syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int
descend_signal(int signal)
{
	struct table t = {0};
	int found = 0;

	if (!read_all(&t))
		return 1;
	mark(&t);
	for (size_t i = 0; i < t.count; i++)
		if (t.process[i].ours && t.process[i].alive) {
			found++;
			if (signal != 0)
				send_to(&t.process[i], signal);
		}
	free(t.process);
	return found;
}
