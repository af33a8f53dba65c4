/* scrub - sentences of programs without the places of one run, so that they can be shown, kept and compared */

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "plain.h"
#include "scrub.h"

enum {
	READ_MOST = 16384 /* bytes of a text; what follows can't be in the line that is made of it */
};

struct place {
	const char *dir;
	int parts; /* how many parts of a path in it belong to a run */
};

/* Where the part at P ends: what may stand in a name that a program makes up. */
static size_t
part_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || (p[n] != '\0' && strchr("._-+@%", p[n]) != NULL))
		n++;
	return n;
}

/* How many bytes at P are the place and the run's parts of the path; 0 when the path leads elsewhere. */
static size_t
place_length(const char *p, const struct place *place)
{
	size_t n = place->dir == NULL ? 0 : strlen(place->dir);

	while (n > 0 && place->dir[n - 1] == '/')
		n--;
	if (n == 0 || strncmp(p, place->dir, n) != 0 || (p[n] != '/' && part_length(p + n) > 0))
		return 0;
	for (int i = 0; i < place->parts && p[n] == '/'; i++)
		n += 1 + part_length(p + n + 1);
	return n;
}

static size_t
scrubbed_length(const char *text, size_t at, const struct place *places, size_t count)
{
	bool inside = at > 0 && (isalnum((unsigned char)text[at - 1]) || strchr("._-", text[at - 1]) != NULL);
	size_t found = 0;

	for (size_t i = 0; i < count && found == 0 && text[at] == '/' && !inside; i++)
		found = place_length(text + at, &places[i]);
	return found;
}

void
scrub_add(struct buf *b, const struct scrub *s, const char *text, size_t most)
{
	const struct place places[] = {{s->state, 2}, {s->temp, 1}, {"/tmp", 1}, {"/var/tmp", 1}};
	auto_buf struct buf plain = {0}, clean = {0};

	plain_add(&plain, text, strlen(text), READ_MOST);
	for (size_t i = 0; i < plain.len;) {
		size_t n = scrubbed_length(plain.data, i, places, sizeof places / sizeof *places);

		buf_add(&clean, n > 0 ? "<temp>" : plain.data + i, n > 0 ? strlen("<temp>") : 1);
		i += n > 0 ? n : 1;
	}
	plain_add(b, clean.data == NULL ? "" : clean.data, clean.len, most);
}
