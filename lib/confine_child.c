/* confine_child - what the new process does before bubblewrap takes it over: limits, keys, reach, another user */

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine_child.h"
#include "room.h"

#define STAGE "/tmp"

void
confine_places(const struct confine_request *r, bool staged, struct confine_place places[static CONFINE_PLACES])
{
	places[0] = (struct confine_place) {staged ? STAGE "/workspace" : r->workspace, CONFINE_WORKSPACE, true};
	places[1] = (struct confine_place) {staged ? STAGE "/mozaiks" : r->shell, CONFINE_SHELL, false};
	places[2] = (struct confine_place) {staged ? STAGE "/sbx-within" : r->within, CONFINE_WITHIN, false};
}

static int
bind_place(int fd, const char *target)
{
	char path[32];
	struct stat st;
	int made;

	if (fstat(fd, &st) == -1)
		return -1;
	made = S_ISDIR(st.st_mode) ? mkdir(target, 0755) : mknod(target, S_IFREG | 0644, 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return made == -1 ? -1 : mount(path, target, NULL, MS_BIND | MS_REC, NULL);
}

/*
 * Root's own directories are closed to the user who is to run the command, so they are bound to where that user can reach them,
 * in a mount namespace that ends with the command.
 */
static int
stage(const struct confine_request *r)
{
	const char *const sources[CONFINE_PLACES] = {r->workspace, r->shell, r->within};
	struct confine_place places[CONFINE_PLACES];
	int fd[CONFINE_PLACES];

	confine_places(r, true, places);
	if (unshare(CLONE_NEWNS) == -1 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == -1)
		return -1;
	/* Held before they may be hidden by what is mounted now. */
	for (int i = 0; i < CONFINE_PLACES; i++)
		if ((fd[i] = open(sources[i], O_PATH | O_CLOEXEC)) == -1)
			return -1;
	if (mount("sbx", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=0755") == -1)
		return -1;
	for (int i = 0; i < CONFINE_PLACES; i++)
		if (bind_place(fd[i], places[i].from) == -1)
			return -1;
	return 0;
}

int
confine_drop_root(void)
{
	if (setgroups(0, NULL) == -1 || setresgid(CONFINE_UID, CONFINE_UID, CONFINE_UID) == -1)
		return -1;
	return setresuid(CONFINE_UID, CONFINE_UID, CONFINE_UID);
}

int
confine_prepare(const void *context)
{
	const struct confine_request *r = context;
	const struct rlimit none = {0, 0}, file = {ROOM_BYTES, ROOM_BYTES};

	/* Keys of ours would stay in reach through the session keyring, which namespaces do not cover. */
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	umask(022);
	if (setrlimit(RLIMIT_CORE, &none) == -1 || setrlimit(RLIMIT_FSIZE, &file) == -1 || bound_join(r->bound) == -1)
		return -1;
	if (geteuid() != 0)
		return 0;
	return stage(r) == -1 ? -1 : confine_drop_root();
}
