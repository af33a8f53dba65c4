/* fuzz-line - fuzzes lib/line.c lib/json.c */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * What a stage does with one line: parse it strictly, add a member, and hold the promises: what was there before stands
 * unchanged, and the result is a line again that has the member.
 */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	struct line l = {0};
	json_t *again;

	if (!line_take(&l, (const char *)data, size, why))
		return 0;
	if (json_object_get(l.root, "fuzz") == NULL) {
		line_add(&l, "fuzz", json_make("{s:[i,b]}", "a", 1, 1));
		again = json_parse(l.text.data, l.text.len, why);
		if (again == NULL || !json_equal(again, l.root))
			abort();
		for (size_t i = 0, brace = size; i < size; i++) {
			while (brace > 0 && data[brace - 1] != '}')
				brace--;
			if (i < brace - 1 && l.text.data[i] != (char)data[i])
				abort();
		}
		json_decref(again);
	}
	json_decref(l.root);
	buf_free(&l.text);
	return 0;
}
