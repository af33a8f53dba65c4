/* verdict - the seeds' result of a run, what it proves and what it does not, and what comes next */

#include <string.h>

#include "answer.h"
#include "claims.h"
#include "cli.h"
#include "clock.h"
#include "ending.h"
#include "history.h"
#include "id.h"
#include "problem.h"
#include "repair.h"
#include "result.h"
#include "verdict.h"
#include "x.h"

/* What is known of one run while its verdict is made. */
struct pass {
	struct verdict_site *site;
	const json_t *line;
	const char *run;
	char *dir; /* of its files */
	struct judgement judgement;
	enum acceptance acceptance;
	const char *readiness;
	json_t *problems;
	const char *bundle; /* digest of what was staged; NULL: nothing was */
	char outcome[DIGEST_TEXT];
	char *series;
	struct repair repair;
	bool remembered;  /* the store knows of this failure */
	bool no_progress; /* and of the one before it, which was the same */
};

static void
pass_free(struct pass *p)
{
	judge_free(&p->judgement);
	repair_free(&p->repair);
	json_decref(p->problems);
	free(p->series);
	free(p->dir);
}

static const char *
readiness(const struct judgement *j, enum acceptance a)
{
	if (j->build == BUILD_FAILED || a == ACCEPTANCE_FAILED)
		return "failed";
	if (j->build == BUILD_SKIPPED)
		return "skipped";
	return j->build == BUILD_PENDING || a == ACCEPTANCE_PENDING ? "pending" : "ready";
}

/* Is it the bundle that failed? */
static bool
is_failure(const struct pass *p)
{
	return strcmp(p->readiness, "failed") == 0 && !p->judgement.infrastructure;
}

static bool
is_ready(const struct pass *p)
{
	return strcmp(p->readiness, "ready") == 0;
}

/* The tar is the same for the same files, however they were packed. Without an inventory a build is nothing but its bundle. */
static void
identify(struct pass *p)
{
	json_auto_t *errors = problem_errors(p->problems);

	p->bundle = json_text_at(p->line, "bundle.tar_sha256");
	if (p->bundle == NULL)
		p->bundle = json_text_at(p->line, "bundle.sha256");
	problem_fingerprint(p->readiness, errors, p->outcome);
	if (p->site->inventory != NULL)
		p->series = x_printf("build %s", p->site->inventory->series);
	else if (p->bundle != NULL)
		p->series = x_printf("bundle %s", p->bundle);
}

static int
note_request(const struct pass *p, struct store *s, struct fault *f)
{
	auto_free char *manifest = x_printf("%s/manifest.json", p->dir);
	auto_free char *scope = answer_scope(json_at(p->repair.bundle, "repair_request.allowed_paths"), manifest);

	return history_add(s, p->series, p->run, p->repair.entry, scope, f);
}

static int
remember(struct store *s, void *context, struct fault *f)
{
	struct pass *p = context;
	json_auto_t *history = NULL;

	if (is_ready(p))
		return history_forget(s, p->series, f);
	if (p->bundle != NULL && history_fail(s, p->series, p->run, p->bundle, p->outcome, &p->no_progress, f) == -1)
		return -1;
	if (p->site->inventory == NULL)
		return 0;
	if (history_read(s, p->series, p->run, &history, f) == -1)
		return -1;
	repair_decide(&p->repair, p->site->inventory, p->problems, history);
	return p->repair.entry == NULL ? 0 : note_request(p, s, f);
}

static int
consult(struct pass *p, struct fault *f)
{
	struct verdict_site *site = p->site;

	if (site->store == NULL && (site->store = store_open(site->place, f)) == NULL)
		return -1;
	return store_change(site->store, remember, p, clock_deadline(STORE_WAIT_MS), f);
}

/* What comes next. Without the history nothing is asked: it might be the same for ever. */
static void
look_ahead(struct pass *p)
{
	const struct fault *unusable = &p->site->unusable;
	struct fault why = {0};

	if (p->series != NULL && (is_failure(p) || (is_ready(p) && p->site->inventory != NULL))) {
		p->remembered = consult(p, &why) == 0;
		if (!p->remembered) {
			cli_warn("%s", why.message);
			p->no_progress = false;
			repair_refuse(&p->repair, "history_unavailable", why.message);
		}
	}
	if (is_failure(p) && fault_is(unusable))
		repair_refuse(&p->repair, unusable->reason, unusable->message);
	else if (is_failure(p) && p->repair.blocks == NULL)
		repair_refuse(&p->repair, "inventory_absent",
		    "There is no approved task inventory, so no task owns what is wrong.");
	fault_clear(&why);
}

static json_t *
make_repair(const struct pass *p)
{
	const struct repair *r = &p->repair;
	json_t *made =
	    json_make("{s:s, s:O}", "status", r->entry != NULL ? "needs_revision" : "blocked", "blocks", r->blocks);

	if (p->site->inventory != NULL)
		json_object_set_new(made, "series", json_string(p->site->inventory->series));
	if (r->entry != NULL)
		json_object_set(made, "request_id", json_object_get(r->entry, "request_id"));
	if (json_array_size(r->recoveries) > 0)
		json_object_set(made, "recoveries", r->recoveries);
	return made;
}

/* Did the build go to repair, and not acceptance before it? */
static bool
is_build_failure(const struct pass *p)
{
	const char *acceptance = json_text_at(p->line, "acceptance.status");

	return p->judgement.build == BUILD_FAILED && (acceptance == NULL || strcmp(acceptance, "failed") != 0);
}

static void
add_next(const struct pass *p, json_t *verdict)
{
	bool goes_on = p->repair.entry != NULL || json_array_size(p->repair.recoveries) > 0;
	bool ends = !is_ready(p) && !goes_on;

	json_object_set_new(verdict, "ends", json_boolean(ends));
	if (ends)
		json_object_set_new(
		    verdict, "message", ending_message(&p->judgement, p->acceptance, p->no_progress, p->problems));
	if (!is_failure(p))
		return;
	json_object_set_new(verdict, "repair", make_repair(p));
	if (p->repair.bundle != NULL && !is_build_failure(p))
		json_object_set(verdict, "bundle_repair", p->repair.bundle);
	if (p->bundle != NULL)
		json_object_set_new(
		    verdict, "fingerprint", json_make("{s:s, s:s}", "bundle", p->bundle, "outcome", p->outcome));
	if (p->bundle != NULL && p->remembered)
		json_object_set_new(verdict, "no_progress", json_boolean(p->no_progress));
}

static json_t *
make_verdict(const struct pass *p, const struct profile *profile)
{
	const struct judgement *j = &p->judgement;
	json_t *verdict = json_make("{s:b, s:s, s:{s:s, s:s}, s:O, s:o, s:o}", "ready", is_ready(p), "readiness",
	    p->readiness, "gates", "acceptance", acceptance_word(p->acceptance), "build", judge_word(j->build),
	    "reasons", j->reasons, "claims", claims_made(p->line, j, p->acceptance, profile), "not_claimed",
	    claims_not_made(p->line, j, p->acceptance, profile));

	add_next(p, verdict);
	return verdict;
}

int
verdict_work(struct line *l, void *context, struct fault *f)
{
	struct pass p __attribute__((cleanup(pass_free))) = {.site = context, .line = l->root};
	const char *run = json_text_at(l->root, "run"), *name = json_text_at(l->root, "bundle.profile");
	auto_profile struct profile profile = {0};

	p.run = run != NULL && id_is_hex(run, ID_RUN) ? run : "none";
	p.dir = x_printf("%s/runs/%s", p.site->state, p.run);
	if (name != NULL)
		profile_find(&profile, p.site->share, name, f);
	judge_run(&p.judgement, l->root, profile.steps, f);
	p.acceptance = acceptance_judge(&p.judgement, l->root, profile.root == NULL || profile.needs_acceptance);
	p.readiness = readiness(&p.judgement, p.acceptance);
	p.problems = problem_list(l->root, &p.judgement, &p.site->scrub);
	identify(&p);
	look_ahead(&p);
	line_add(l, "result",
	    result_make(l, &p.judgement, p.dir, &p.site->scrub, is_build_failure(&p) ? p.repair.bundle : NULL));
	line_add(l, "verdict", make_verdict(&p, &profile));
	if (p.judgement.doubt)
		return STATUS_DOUBT;
	return is_ready(&p) ? STATUS_YES : STATUS_NO;
}
