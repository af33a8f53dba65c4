/* fd - whole reads and writes on descriptors */

#include <err.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fd.h"

int
fd_write(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int
fd_read_all(int fd, struct buf *b, size_t most)
{
	for (;;) {
		char *room = buf_reserve(b, 65536);
		ssize_t n = read(fd, room, 65536);

		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			buf_add(b, "", 0);
			return (int)n;
		}
		b->len += (size_t)n;
		if (b->len > most) {
			errno = EFBIG;
			return -1;
		}
	}
}

int
fd_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd == -1)
		err(2, "memory file");
	return fd;
}

int
fd_memory_with(const char *name, const void *bytes, size_t len)
{
	int fd = fd_memory(name);

	if (fd_write(fd, bytes, len) == -1 || lseek(fd, 0, SEEK_SET) == -1)
		err(2, "memory file");
	return fd;
}
