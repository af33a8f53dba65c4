/* output - what the steps of a run printed, put together as the seeds' build_output */

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.h"
#include "output.h"
#include "x.h"

int
output_open(const char *dir, const char *path)
{
	size_t len = strlen(dir);
	auto_close int fd = -1;
	struct stat st;

	if (path == NULL || strncmp(path, dir, len) != 0 || path[len] != '/' || strchr(path + len + 1, '/') != NULL)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return -1;
	return x_steal_fd(&fd);
}

/* Only what can still be in the last OUTPUT_MOST bytes of the whole is read. */
static bool
add_file(struct buf *b, int fd, bool *cut)
{
	off_t size = lseek(fd, 0, SEEK_END), start = size > OUTPUT_MOST ? size - OUTPUT_MOST : 0;

	*cut = *cut || start > 0;
	return size != -1 && lseek(fd, start, SEEK_SET) != -1 && fd_read_all(fd, b, SIZE_MAX) == 0;
}

static void
add_tails(struct buf *b, const json_t *step)
{
	const char *out = json_text_at(step, "stdout_tail"), *err = json_text_at(step, "stderr_tail");

	buf_text(b, out == NULL ? "" : out);
	if (out != NULL && out[0] != '\0' && out[strlen(out) - 1] != '\n')
		buf_text(b, "\n");
	buf_text(b, err == NULL ? "" : err);
}

static void
add_step(struct buf *b, const char *dir, const json_t *step, bool *cut)
{
	const char *command = json_text_at(step, "command"), *status = json_text_at(step, "status");
	auto_close int fd = output_open(dir, json_text_at(step, "output"));
	bool whole = !json_true_at(step, "cut");

	if (status == NULL || strcmp(status, "not_run") == 0)
		return;
	if (b->len > 0 && b->data[b->len - 1] != '\n')
		buf_text(b, "\n");
	buf_printf(b, "$ %s\n", command == NULL ? "?" : command);
	if (fd != -1 && add_file(b, fd, cut) && whole)
		return;
	*cut = true;
	if (fd != -1)
		buf_text(b, "\n[more was printed than is kept; this is how it ended]\n");
	add_tails(b, step);
}

json_t *
output_of_steps(const char *dir, const json_t *steps, size_t most, bool *cut)
{
	auto_buf struct buf b = {0};
	const json_t *step;
	size_t i, start;

	*cut = false;
	json_array_foreach (steps, i, step)
		add_step(&b, dir, step, cut);
	start = b.len > most ? b.len - most : 0;
	*cut = *cut || start > 0;
	while (start < b.len && ((unsigned char)b.data[start] & 0xc0) == 0x80)
		start++;
	return json_lossy(b.data == NULL ? "" : b.data + start, b.len - start);
}
