/* cell - one local sandbox on disk: its directory, who is using it, what it was made for */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell.h"
#include "clock.h"
#include "fd.h"
#include "path.h"
#include "room.h"
#include "x.h"

enum {
	ABOUT_MOST = 1 << 20,
	LOOK_MS = 10
};

static char *
cell_dir(const char *state, const char *id)
{
	return x_printf("%s/local/%s", state, id);
}

static int
make_files(const char *dir, const json_t *about, struct fault *f)
{
	auto_free char *about_path = x_printf("%s/about", dir), *lock_path = x_printf("%s/lock", dir);
	auto_buf struct buf text = {0};
	auto_close int lock = open(lock_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (lock == -1)
		return fault_errno(f, STATUS_TROUBLE, "sandbox_failed", "%s", lock_path);
	json_add_text(&text, about);
	return path_write(about_path, text.data, text.len, f);
}

int
cell_make(const char *state, const char *id, const json_t *about, struct fault *f)
{
	auto_free char *above = x_printf("%s/local", state), *dir = cell_dir(state, id);

	path_make_private(above);
	if (mkdir(dir, 0700) == -1)
		return fault_errno(f, STATUS_TROUBLE, "sandbox_failed", "%s", dir);
	return make_files(dir, about, f);
}

/*
 * A read lock of this process (fcntl(2)): it goes with the process, and the kernel tells who has one. The remover takes it against
 * all, and what it wrote into the file tells that there is or was one.
 */
static int
take_lock(struct cell *c, bool hold)
{
	auto_free char *path = x_printf("%s/lock", c->dir);
	struct flock shared = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	struct stat st;

	c->lock = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (c->lock == -1 || (hold && fcntl(c->lock, F_SETLK, &shared) == -1) || fstat(c->lock, &st) == -1)
		return -1;
	return st.st_size == 0 ? 0 : -1;
}

static int
read_about(struct cell *c)
{
	auto_free char *path = x_printf("%s/about", c->dir);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	auto_buf struct buf text = {0};
	char why[JSON_ERROR_TEXT_LENGTH];

	if (fd == -1 || fd_read_all(fd, &text, ABOUT_MOST) == -1)
		return -1;
	c->about = json_parse(text.data, text.len, why);
	return c->about == NULL ? -1 : 0;
}

static int
find(struct cell *c, const char *state, const char *id, bool use)
{
	*c = (struct cell) {.dir = cell_dir(state, id), .lock = -1};
	c->workspace = x_printf("%s/workspace", c->dir);
	if (take_lock(c, use) == 0 && read_about(c) == 0)
		return 0;
	cell_close(c);
	return -1;
}

int
cell_open(struct cell *c, const char *state, const char *id)
{
	return find(c, state, id, true);
}

int
cell_look(struct cell *c, const char *state, const char *id)
{
	return find(c, state, id, false);
}

void
cell_close(struct cell *c)
{
	if (c->dir == NULL)
		return;
	if (c->lock != -1)
		close(c->lock);
	json_decref(c->about);
	free(c->dir);
	free(c->workspace);
	*c = (struct cell) {0};
}

/* Who has a lock that is in our way; 0: nobody, and we have it now; -1: somebody in another pid namespace. */
static pid_t
holder(int lock)
{
	struct flock mine = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(lock, F_SETLK, &mine) == 0)
		return 0;
	mine = (struct flock) {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	return fcntl(lock, F_GETLK, &mine) == 0 && mine.l_type != F_UNLCK && mine.l_pid > 0 ? mine.l_pid : -1;
}

/* It has the lock both before and after it is held itself, so the number can't be another's. */
static void
ask_to_end(int lock, pid_t pid)
{
	auto_close int held = (int)syscall(SYS_pidfd_open, pid, 0);

	if (held != -1 && holder(lock) == pid)
		syscall(SYS_pidfd_send_signal, held, SIGTERM, NULL, 0);
}

/* From here on nobody opens it. A second signal would make them leave without cleaning up, so each is asked once. */
static int
wait_for_users(int lock, const char *id, int (*end)(const char *id, int64_t deadline), int64_t deadline)
{
	pid_t asked = 0, pid;

	if (pwrite(lock, "x", 1, 0) != 1)
		return -1;
	while ((pid = holder(lock)) != 0) {
		if (pid > 0 && pid != asked) {
			ask_to_end(lock, pid);
			asked = pid;
		}
		end(id, clock_deadline(LOOK_MS));
		if (clock_left(deadline) == 0)
			return -1;
		clock_sleep(LOOK_MS, deadline);
	}
	return 0;
}

int
cell_remove(
    const char *state, const char *id, int (*end)(const char *id, int64_t deadline), int64_t deadline, struct fault *f)
{
	auto_free char *dir = cell_dir(state, id), *lock_path = x_printf("%s/lock", dir);
	auto_free char *workspace = x_printf("%s/workspace", dir);
	auto_close int lock = open(lock_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	/* Without a lock it was never whole, or an earlier remover did not get to its end. */
	if ((lock != -1 && wait_for_users(lock, id, end, deadline) == -1) || end(id, deadline) == -1)
		return fault_set(f, STATUS_DOUBT, "sandbox_in_use", "sandbox %s: what runs in it does not end", id);
	if (room_remove(workspace, f) == -1 || path_remove(dir, f) == -1) {
		f->status = STATUS_DOUBT;
		return -1;
	}
	return 0;
}
