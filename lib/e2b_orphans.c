/* e2b_orphans - the end of all that is left of a run, and of all that nobody will come back for */

#include <string.h>

#include "clock.h"
#include "e2b_sandbox.h"
#include "e2b_token.h"
#include "e2b_verbs.h"
#include "holding.h"

/* What the service has with that metadata, by the id that it gave. */
static json_t *
find(const struct site *s, const char *word, struct fault *f)
{
	auto_free char *owner = x_printf("sbx.owner=%s", s->owner);
	const char *const words[] = {owner, word};
	auto_e2b struct e2b e = {0};

	if (e2b_open(&e, s, f) == -1)
		return NULL;
	return e2b_find(&e, words, word == NULL ? 1 : 2, clock_deadline(E2B_CALL_MS), f);
}

enum gone
e2b_sweep(const struct site *s, const char *run, struct fault *f)
{
	auto_free char *word = x_printf("sbx.run=%s", run);
	json_auto_t *names = json_object(), *found = NULL;
	json_t *one;
	size_t i;

	if (holding_of_run(s, e2b_provider.name, run, holding_note, names, f) == 0)
		found = find(s, word, f);
	json_array_foreach (found, i, one) {
		const char *name = e2b_metadata(one, "sbx.name");

		json_object_set_new(names, name != NULL ? name : json_text_at(one, "sandboxID"), json_true());
	}
	provider_rm_all(&e2b_provider, s, names, NULL, f);
	return provider_swept(f);
}

/* Is it, by its row, somebody's to use or to make? */
static int
note_kept(const struct holding *h, void *kept, struct fault *f)
{
	(void)f;
	*(bool *)kept = strcmp(h->state, "live") == 0;
	return 1;
}

/* What the service has and the store does not, or takes for gone. What the store holds as live is its user's. */
static int
add_unknown(const struct site *s, json_t *names, struct fault *f)
{
	json_auto_t *found = find(s, NULL, f);
	json_t *one;
	size_t i;

	json_array_foreach (found, i, one) {
		const char *id = json_text_at(one, "sandboxID");
		bool kept = false;

		if (id == NULL || holding_find(s, e2b_provider.name, id, note_kept, &kept, f) == -1)
			continue;
		if (!kept)
			json_object_set_new(names, id, json_true());
	}
	return found == NULL ? -1 : 0;
}

enum gone
e2b_orphans(const struct site *s, struct fault *f)
{
	json_auto_t *stale = json_object(), *names = json_object();
	const char *name;
	json_t *value;

	if (s->show != NULL)
		return GONE_CONFIRMED;
	e2b_token_tidy(s, f);
	add_unknown(s, names, f);
	holding_stale(s, e2b_provider.name, holding_note, stale, f);
	json_object_foreach (stale, name, value)
		json_object_set(names, name, value);
	json_object_foreach (stale, name, value)
		if (e2b_token_is_held(s, name))
			json_object_del(names, name);
	provider_rm_all(&e2b_provider, s, names, NULL, f);
	return provider_swept(f);
}
