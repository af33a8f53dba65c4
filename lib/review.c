/* review - what came of a look at a preview, bound to the bundle that runs in it */

#include <string.h>

#include "path.h"
#include "provider.h"
#include "review.h"
#include "stop.h"
#include "x.h"

enum {
	FRONTEND_PORT = 3000 /* sbx-image(7) */
};

json_t *
review_make(const struct browser *b, const struct browser_target *t, struct fault *f)
{
	json_t *report = browser_look(b, t, f), *review;
	bool passed;

	if (report == NULL)
		return NULL;
	passed = json_array_size(json_object_get(report, "problems")) == 0 &&
	         json_array_size(json_object_get(report, "pages")) > 0;
	review =
	    json_make("{s:s, s:s, s:s*}", "status", passed ? "passed" : "failed", "url", t->url, "app_id", t->app_id);
	json_object_update(review, report);
	json_decref(report);
	return review;
}

/* What must be so before a look can say anything about the bundle. */
static int
check_line(const struct line *l, struct fault *f)
{
	if (json_text_at(l->root, "sandbox.provider") == NULL || json_text_at(l->root, "sandbox.id") == NULL)
		return fault_set(f, STATUS_TROUBLE, "sandbox_missing",
		    "stdin:%lu: no sandbox with provider and id: create comes before", l->number);
	if (!json_true_at(l->root, "put.verified"))
		return fault_set(f, STATUS_TROUBLE, "put_unverified",
		    "stdin:%lu: nobody verified that the bundle is in the sandbox: put comes before", l->number);
	if (json_text_at(l->root, "bundle.app_id") == NULL || json_text_at(l->root, "bundle.sha256") == NULL)
		return fault_set(f, STATUS_TROUBLE, "identity_missing",
		    "stdin:%lu: the bundle has no app_id, or no sha256, so no review could be of it", l->number);
	return 0;
}

/* Of the frontend, a new reference; NULL and a fault. */
static json_t *
url_of(const struct review_site *s, const struct line *l, struct fault *f)
{
	const char *name = json_text_at(l->root, "sandbox.provider"), *id = json_text_at(l->root, "sandbox.id");
	const struct provider *p = provider_find(name);
	struct site site = {0};
	json_t *url = NULL;

	if (p == NULL || p->url == NULL) {
		fault_fill(f, STATUS_TROUBLE, "provider_unknown",
		    "provider '%s': unknown, or its sandboxes have no URL", name);
		return NULL;
	}
	if (site_open(&site, name, s->socket, NULL, f) == 0)
		url = p->url(&site, id, FRONTEND_PORT, f);
	site_close(&site);
	if (url == NULL || json_is_string(url))
		return url;
	json_decref(url);
	fault_fill(f, STATUS_TROUBLE, "url_missing", "%s: port %d is not published: only previews have a URL", id,
	    FRONTEND_PORT);
	return NULL;
}

static char *
directory_of(const struct review_site *s, const char *run)
{
	char *dir;

	if (s->output == NULL)
		return path_run(s->state, run);
	dir = x_printf("%s/%s", s->output, run);
	path_make_private(dir);
	return dir;
}

int
review_work(struct line *l, void *context, struct fault *f)
{
	const struct review_site *s = context;
	const char *run = line_run(l, f);
	auto_free char *dir = NULL;
	json_auto_t *url = NULL;
	json_t *review;

	if (stop_signal())
		return fault_set(
		    f, 128 + stop_signal(), "stopped", "ended by signal %d before any look", stop_signal());
	if (run == NULL || check_line(l, f) == -1 || (url = url_of(s, l, f)) == NULL)
		return -1;
	dir = directory_of(s, run);
	review = review_make(&s->browser,
	    &(struct browser_target) {json_string_value(url), json_text_at(l->root, "bundle.app_id"), dir}, f);
	if (review == NULL)
		return -1;
	json_object_set(review, "bundle_sha256", json_at(l->root, "bundle.sha256"));
	line_add(l, "review", review);
	return strcmp(json_text_at(review, "status"), "passed") == 0 ? 0 : STATUS_NO;
}
