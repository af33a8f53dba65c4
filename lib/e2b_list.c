/* e2b_list - the sandboxes that the service has, page after page */

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "e2b_sandbox.h"
#include "e2b_verbs.h"

enum {
	PAGES_MOST = 1000 /* of 100: a service that never comes to an end is broken */
};

/*
 * The filter "name=value" as the service wants it: it takes it apart after two rounds of unescaping, of the query and of the whole,
 * and then unescapes each side once more. All pairs must match.
 */
static int
add_filter(struct buf *query, const char *const *words, size_t count, struct fault *f)
{
	auto_buf struct buf pairs = {0};

	for (size_t i = 0; i < count; i++) {
		size_t len = strcspn(words[i], "=");
		auto_free char *name = x_strndup(words[i], len);
		auto_buf struct buf once = {0}, twice = {0};

		if (len == 0 || words[i][len] == '\0')
			return fault_set(
			    f, STATUS_TROUBLE, "metadata_invalid", "metadata: '%s' is no NAME=VALUE", words[i]);
		http_escape(&once, name);
		http_escape(&twice, once.data);
		buf_printf(&pairs, "%s%s=", pairs.len > 0 ? "&" : "", twice.data);
		buf_free(&once);
		buf_free(&twice);
		buf_add(&once, "", 0);
		buf_add(&twice, "", 0);
		http_escape(&once, words[i] + len + 1);
		http_escape(&twice, once.data);
		buf_text(&pairs, twice.data);
	}
	buf_text(query, "&metadata=");
	http_escape(query, pairs.data);
	return 0;
}

int
e2b_page(const struct http_reply *reply, json_t *all, struct fault *f)
{
	json_auto_t *page = NULL;
	json_t *one;
	size_t i;

	if (reply->status != 200)
		return e2b_refused(reply, "list_failed", "list", f);
	if ((page = e2b_json(reply, f)) == NULL)
		return -1;
	json_array_foreach (page, i, one)
		if (json_text_at(one, "sandboxID") == NULL)
			break;
	if (!json_is_array(page) || i < json_array_size(page))
		return fault_set(
		    f, STATUS_TROUBLE, "e2b_reply_invalid", "list: the service's answer is no list of sandboxes");
	return json_array_extend(all, page);
}

/* One more page onto ALL; NEXT is where it ends, "" after the last. */
static int
take_page(
    struct e2b *e, const char *query, json_t *all, char next[static HTTP_HEADER], int64_t deadline, struct fault *f)
{
	struct http_request ask = {.method = "GET", .path = query, .most = E2B_LIST_MOST, .header = "X-Next-Token"};
	struct http_reply reply = {0};
	int status = e2b_send(e, &ask, &reply, 1, deadline, f);

	if (status == 0)
		status = e2b_page(&reply, all, f);
	snprintf(next, HTTP_HEADER, "%s", reply.header);
	http_free(&reply, 1);
	return status;
}

json_t *
e2b_find(struct e2b *e, const char *const *words, size_t count, int64_t deadline, struct fault *f)
{
	auto_buf struct buf query = {0};
	json_t *all = json_array();
	char next[HTTP_HEADER] = "";
	int status, pages = 0;

	buf_text(&query, "/v2/sandboxes?limit=100&state=running,paused");
	status = add_filter(&query, words, count, f);
	while (status == 0) {
		auto_buf struct buf page = {0};

		buf_text(&page, query.data);
		if (*next != '\0') {
			buf_text(&page, "&nextToken=");
			http_escape(&page, next);
		}
		status = take_page(e, page.data, all, next, deadline, f);
		if (*next == '\0')
			break;
		if (++pages == PAGES_MOST)
			status =
			    fault_set(f, STATUS_TROUBLE, "e2b_reply_invalid", "list: the service's list does not end");
	}
	if (status == 0)
		return all;
	json_decref(all);
	return NULL;
}

json_t *
e2b_list(const struct site *s, const char *const *words, size_t count, struct fault *f)
{
	auto_free char *owner = x_printf("sbx.owner=%s", s->owner);
	auto_free const char **all_words = x_zalloc(count + 1, sizeof *all_words);
	auto_e2b struct e2b e = {0};
	json_t *found = NULL, *members, *one;
	size_t i;

	all_words[0] = owner;
	for (i = 0; i < count; i++)
		all_words[i + 1] = words[i];
	if (e2b_open(&e, s, f) == 0)
		found = e2b_find(&e, all_words, count + 1, clock_deadline(E2B_CALL_MS), f);
	if (found == NULL)
		return NULL;
	members = json_array();
	json_array_foreach (found, i, one)
		json_array_append_new(members, e2b_member(&e, one));
	json_decref(found);
	return members;
}
