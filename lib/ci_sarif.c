/* ci_sarif - SARIF 2.1.0, the Static Analysis Results Interchange Format (OASIS), one run for each report */

#include <ctype.h>
#include <string.h>

#include "ci.h"
#include "digest.h"

static const char base[] = "%SRCROOT%";

static void
begin(struct buf *b)
{
	buf_text(b, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[");
}

static void
end(struct buf *b)
{
	buf_text(b, "]}\n");
}

/* A path as a URI (RFC 3986): relative to the bundle, or of a file elsewhere. */
static json_t *
make_uri(const char *path)
{
	auto_buf struct buf uri = {0};
	bool drive = isalpha((unsigned char)path[0]) && path[1] == ':';

	buf_text(&uri, drive ? "file:///" : path[0] == '/' ? "file://" : "");
	for (; *path != '\0'; path++)
		if (isalnum((unsigned char)*path) || strchr("-._~/", *path) != NULL)
			buf_add(&uri, path, 1);
		else
			buf_printf(&uri, "%%%02X", (unsigned)(unsigned char)*path);
	return json_stringn(uri.data, uri.len);
}

static json_t *
make_location(const json_t *one, const char *file)
{
	int64_t line = json_int_at(one, "line", 0), column = json_int_at(one, "column", 0);
	json_t *place = json_make("{s:{s:o}}", "artifactLocation", "uri", make_uri(file));
	json_t *region = json_object();

	if (json_true_at(one, "owned"))
		json_object_set_new(json_object_get(place, "artifactLocation"), "uriBaseId", json_string(base));
	if (line > 0)
		json_object_set_new(region, "startLine", json_integer(line));
	if (line > 0 && column > 0)
		json_object_set_new(region, "startColumn", json_integer(column));
	if (line > 0)
		json_object_set(place, "region", region);
	json_decref(region);
	return json_make("[{s:o}]", "physicalLocation", place);
}

static const char *
level_of(const json_t *one)
{
	const char *severity = json_text_at(one, "severity");

	if (severity != NULL && (strcmp(severity, "warning") == 0 || strcmp(severity, "note") == 0))
		return severity;
	return "error";
}

/* "typescript/TS2322", or the tool alone. */
static void
add_rule(struct buf *id, const json_t *one)
{
	const char *tool = json_text_at(one, "tool"), *code = json_text_at(one, "code");

	buf_printf(id, "%s%s%s", tool == NULL ? "sbx" : tool, code == NULL ? "" : "/", code == NULL ? "" : code);
}

/* The same thing keeps its fingerprint when lines move. Those that are alike are counted, or a reader would drop all but one. */
static json_t *
make_fingerprint(json_t *counts, const char *rule, const char *file, const char *message)
{
	uint8_t digest[DIGEST_BYTES];
	char hex[DIGEST_TEXT];
	struct digest state;
	json_int_t count;

	digest_begin(&state);
	digest_add(&state, rule, strlen(rule) + 1);
	digest_add(&state, file, strlen(file) + 1);
	digest_add(&state, message, strlen(message));
	digest_end(&state, digest);
	digest_hex(digest, hex);
	hex[16] = '\0';
	count = json_int_at(counts, hex, 0) + 1;
	json_object_set_new(counts, hex, json_integer(count));
	return json_sprintf("%s:%lld", hex, (long long)count);
}

static json_t *
make_result(const json_t *one, json_t *rules, json_t *counts)
{
	const char *file = json_text_at(one, "file"), *message = json_text_at(one, "message");
	auto_buf struct buf rule = {0};
	json_t *result;

	add_rule(&rule, one);
	message = message == NULL || *message == '\0' ? "?" : message;
	if (json_object_get(rules, rule.data) == NULL)
		json_object_set_new(rules, rule.data, json_integer((json_int_t)json_object_size(rules)));
	result = json_make("{s:s, s:O, s:s, s:{s:s}, s:{s:o}}", "ruleId", rule.data, "ruleIndex",
	    json_object_get(rules, rule.data), "level", level_of(one), "message", "text", message,
	    "partialFingerprints", "primaryLocationLineHash",
	    make_fingerprint(counts, rule.data, file == NULL ? "" : file, message));
	if (file != NULL && *file != '\0')
		json_object_set_new(result, "locations", make_location(one, file));
	return result;
}

/* Only a run that came to its end has looked at everything. */
static json_t *
make_invocation(const json_t *line)
{
	const json_t *error = json_object_get(line, "error");
	const char *reason = json_text_at(error, "reason"), *message = json_text_at(error, "message");

	if (error == NULL)
		return json_make("{s:b}", "executionSuccessful", 1);
	return json_make("{s:b, s:[{s:s, s:{s:s}, s:{s:s}}]}", "executionSuccessful", 0, "toolExecutionNotifications",
	    "level", "error", "message", "text", message == NULL ? "it failed" : message, "descriptor", "id",
	    reason == NULL ? "error" : reason);
}

static void
add(struct buf *b, const struct ci_report *r, bool first)
{
	json_t *results = json_array(), *rules = json_object(), *counts = json_object(), *list = json_array(), *run;
	const json_t *one;
	const char *id;
	json_t *index;
	size_t i;

	json_array_foreach (r->findings, i, one)
		json_array_append_new(results, make_result(one, rules, counts));
	json_object_foreach (rules, id, index)
		json_array_append_new(list, json_make("{s:s}", "id", id));
	run = json_make("{s:{s:{s:s, s:s, s:o}}, s:{s:s}, s:{s:{s:{s:s}}}, s:s, s:[o], s:o}", "tool", "driver", "name",
	    "sbx", "version", SBX_VERSION, "rules", list, "automationDetails", "id", r->name, "originalUriBaseIds",
	    base, "description", "text", "where the bundle's files are", "columnKind", "utf16CodeUnits", "invocations",
	    make_invocation(r->line), "results", results);
	buf_text(b, first ? "" : ",");
	json_add_text(b, run);
	json_decref(run);
	json_decref(rules);
	json_decref(counts);
}

const struct ci_format ci_sarif = {"sarif", begin, add, end};
