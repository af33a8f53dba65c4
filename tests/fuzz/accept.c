/* fuzz-accept - fuzzes lib/accept_input.c lib/accept_result.c */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accept_input.h"
#include "accept_result.h"
#include "fd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static json_t *
read_back(int fd)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	struct buf text = {0};
	json_t *value;

	lseek(fd, 0, SEEK_SET);
	if (fd_read_all(fd, &text, 1 << 28) == -1)
		abort();
	value = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	if (value == NULL && json_parse(text.data, text.len, why) == NULL)
		abort();
	buf_free(&text);
	return value;
}

/* A manifest and a tar that somebody made up: either they are refused, or the rules get strict JSON with just these files. */
static void
compose(const struct profile *p, const uint8_t *data, size_t size)
{
	size_t len = size < 2 ? 0 : (size_t)data[0] << 8 | data[1];
	char why[JSON_ERROR_TEXT_LENGTH];
	struct fault f = {0};
	json_t *files, *seen;
	int tar, out;

	if (size < 2 || len > size - 2 || (files = json_parse((const char *)data + 2, len, why)) == NULL)
		return;
	tar = fd_memory_with("tar", data + 2 + len, size - 2 - len);
	out = fd_memory("out");
	if (accept_input(tar, files, p, out, &f) == 0) {
		seen = read_back(out);
		if (json_object_size(json_object_get(seen, "files")) != json_object_size(files))
			abort();
		json_decref(seen);
	} else if (!fault_is(&f))
		abort();
	fault_clear(&f);
	close(tar);
	close(out);
	json_decref(files);
}

/* Whatever jq says: no answer, or one that does not pass what failed or was skipped. */
static void
combine(const struct profile *p, const uint8_t *data, size_t size)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *reports = json_parse_any((const char *)data, size, why), *files = json_object(), *made;
	struct fault f = {0};

	made = reports != NULL ? accept_result(reports, p, files, "00", &f) : NULL;
	if (made != NULL) {
		const char *status = json_text_at(made, "status");
		size_t failed = json_array_size(json_object_get(made, "failed"));
		size_t skipped = json_array_size(json_object_get(made, "skipped"));

		if ((strcmp(status, "failed") == 0) != (failed > 0) || (strcmp(status, "passed") == 0 && skipped > 0) ||
		    (json_object_get(made, "snapshot_digest") != NULL) != (strcmp(status, "passed") == 0))
			abort();
	} else if (reports != NULL && !fault_is(&f))
		abort();
	fault_clear(&f);
	json_decref(made);
	json_decref(files);
	json_decref(reports);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct profile p = {.name = "fuzz", .app_prefix = "app/"};

	if (p.rules == NULL) {
		p.rules = json_make("[s, s]", "one", "two");
		p.steps = json_make("[{s:s}]", "id", "step");
	}
	if (size > 0 && data[0] == 't')
		compose(&p, data + 1, size - 1);
	else if (size > 0)
		combine(&p, data, size);
	return 0;
}
