/* place - paths of the image in a text become those of where they are in fact */

#include <ctype.h>
#include <string.h>

#include "buf.h"
#include "place.h"
#include "x.h"

/* Does it belong to the same path as what is before it? */
static bool
continues(char c)
{
	return c != '\0' && (isalnum((unsigned char)c) || strchr("_-.+~", c) != NULL);
}

/* The place whose path stands at AT, or NULL. */
static const struct place *
find(const struct place *places, size_t count, const char *text, const char *at)
{
	if (at != text && (at[-1] == '/' || continues(at[-1])))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(places[i].inside);

		if (strncmp(at, places[i].inside, len) == 0 && !continues(at[len]))
			return &places[i];
	}
	return NULL;
}

char *
place_text(const struct place *places, size_t count, const char *text)
{
	auto_buf struct buf placed = {0};
	const struct place *place;

	buf_text(&placed, "");
	for (const char *at = text; *at != '\0';)
		if ((place = find(places, count, text, at)) != NULL) {
			buf_text(&placed, place->here);
			at += strlen(place->inside);
		} else
			buf_add(&placed, at++, 1);
	return x_steal(placed.data);
}

bool
place_is_plain(const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+@,:";

	return path[strspn(path, plain)] == '\0';
}
