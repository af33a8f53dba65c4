/* template - the verb that has E2B build a template from the image's recipe */

#include <bsd/stdlib.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beneath.h"
#include "cli.h"
#include "clock.h"
#include "dockerfile.h"
#include "fd.h"
#include "stop.h"
#include "template.h"
#include "template_build.h"
#include "template_stage.h"

enum {
	BUILD_MS = 3600000, /* from the request to the end */
	RECIPE_MOST = 1 << 20
};

struct template_face {
	const char *dockerfile, *name;
	int64_t cpu_count, memory_mb;
	bool paid;
};

static struct template_face face = {
    .dockerfile = "share/image/Dockerfile.preview",
    .name = "mozaiks-preview",
    .cpu_count = 2,
    .memory_mb = 2048,
};

static void
set_name(const struct cli_option *o, const char *arg)
{
	size_t len = strlen(arg);

	if (len == 0 || strspn(arg, "abcdefghijklmnopqrstuvwxyz0123456789-_") != len)
		cli_usage("--%s takes lower-case letters, digits, - and _, not '%s'", o->name, arg);
	*(const char **)o->to = arg;
}

static void
set_cpu_count(const struct cli_option *o, const char *arg)
{
	const char *wrong;

	*(int64_t *)o->to = strtonum(arg, 1, INT32_MAX, &wrong);
	if (wrong != NULL)
		cli_usage("--%s takes a whole number from 1, not '%s'", o->name, arg);
}

static void
set_memory(const struct cli_option *o, const char *arg)
{
	const char *wrong;
	int64_t value = strtonum(arg, 512, INT32_MAX, &wrong);

	if (wrong != NULL || value % 2 != 0)
		cli_usage("--%s takes an even number from 512, not '%s'", o->name, arg);
	*(int64_t *)o->to = value;
}

static const struct cli_option options[] = {
    {0, "dockerfile", "FILE", "the recipe, in the checkout (share/image/Dockerfile.preview)", cli_text,
        &face.dockerfile},
    {0, "name", "NAME", "the template's name (mozaiks-preview)", set_name, &face.name},
    {0, "cpu-count", "COUNT", "processors of its sandboxes (2)", set_cpu_count, &face.cpu_count},
    {0, "memory-mb", "MB", "memory of its sandboxes, an even number (2048)", set_memory, &face.memory_mb},
    {0, "confirm-paid-build", NULL, "build it, which the service bills", cli_flag, &face.paid},
    {0},
};

/* The recipe below the directory DIR, as the service is to carry it out; a new reference, or NULL and a fault. */
static json_t *
read_recipe(int dir, const char *file, struct fault *f)
{
	auto_close int fd = beneath_open(dir, file, O_RDONLY | O_NONBLOCK, 0);
	auto_buf struct buf text = {0};

	if (fd == -1 || fd_read_all(fd, &text, RECIPE_MOST) == -1) {
		fault_fill_errno(f, STATUS_NO, "dockerfile_unreadable", "%s", file);
		return NULL;
	}
	return dockerfile_read(face.dockerfile, text.data, text.len, f);
}

/* The service's copy of the context is made, and the build is followed. */
static int
build(
    struct e2b *e, struct template_stage *t, struct template_build *b, char digest[static DIGEST_TEXT], struct fault *f)
{
	struct context context = {0};
	auto_free char *spare = x_printf("%s/layer.tar.gz", t->dir);
	json_auto_t *spec = read_recipe(t->fd, TEMPLATE_RECIPE, f);
	int status = spec == NULL ? -1 : context_read(&context, t->context, t->fd, f);

	*b = (struct template_build) {.name = face.name,
	    .cpu_count = face.cpu_count,
	    .memory_mb = face.memory_mb,
	    .context = &context,
	    .context_path = t->context,
	    .spare = spare,
	    .spec = spec,
	    .deadline = clock_deadline(BUILD_MS)};
	if (status == 0)
		status = context_check(&context, json_object_get(spec, "steps"), TEMPLATE_RECIPE, f);
	if (status == 0)
		status = context_digest(&context, digest, f);
	if (status == 0) {
		cli_warn("the context: %lld files, %lld bytes, SHA-256 %s", (long long)context.files,
		    (long long)context.bytes, digest);
		status = template_build(e, b, f);
	}
	context_free(&context);
	return status;
}

/* What is not known is left out. */
static void
add_text(json_t *result, const char *name, const char *text)
{
	if (text != NULL && *text != '\0')
		json_object_set_new(result, name, json_string(text));
}

/* Tell why not, and what there may be of it at the service. */
static int
fail(const struct template_build *b, struct fault *f)
{
	json_auto_t *result =
	    json_make("{s:s, s:s, s:s}", "status", "failed", "error", f->message, "reason", f->reason);
	int status = f->status > 128 ? f->status : STATUS_NO;

	cli_warn("%s", f->message);
	add_text(result, "template_id", b->template_id);
	add_text(result, "build_id", b->build_id);
	add_text(result, "build_status", b->state);
	if (b->state != NULL && strcmp(b->state, "error") != 0)
		cli_warn("%s: the build is '%s' at the service, and nothing here ends it", b->name, b->state);
	if (f->retry_after_ms > 0)
		json_object_set_new(result, "retry_after_ms", json_integer(f->retry_after_ms));
	json_print(result);
	fault_clear(f);
	return status;
}

static int
build_paid(struct fault *f)
{
	struct site site = {0};
	auto_e2b struct e2b e = {0};
	struct template_stage stage = {.fd = -1};
	struct template_build b = {0};
	char digest[DIGEST_TEXT];
	int status;

	site_e2b(&site);
	stop_catch();
	status = e2b_open(&e, &site, f) == -1 ? -1 : template_stage_begin(&stage, face.dockerfile, f);
	if (status == 0)
		status = build(&e, &stage, &b, digest, f);
	template_stage_end(&stage);
	if (status == -1)
		return fail(&b, f);
	json_auto_t *result = json_make("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "status", "built", "template_name",
	    face.name, "template_id", b.template_id, "build_id", b.build_id, "dockerfile", face.dockerfile,
	    "source_sha", stage.commit, "context_sha256", digest);
	json_print(result);
	return STATUS_YES;
}

static void
print_plan(void)
{
	json_auto_t *result = json_make("{s:s, s:s, s:s, s:I, s:I, s:s}", "status", "dry_run", "dockerfile",
	    face.dockerfile, "template_name", face.name, "cpu_count", face.cpu_count, "memory_mb", face.memory_mb,
	    "hint", "nothing was staged or sent: --confirm-paid-build builds it, which the service bills");

	json_print(result);
}

/* Beginnings of options are taken for them, but not of the one that costs money. */
static void
check_paid(char *const *words)
{
	while (*words != NULL && strcmp(*words, "--confirm-paid-build") != 0)
		words++;
	if (face.paid && *words == NULL)
		cli_usage("--confirm-paid-build must be written out");
}

int
template_main(int argc, char *argv[])
{
	char **words = argv;
	const struct cli cli = {"build the template of a hosted sandbox", "", options, .command = false};
	struct fault f = {0};
	json_t *recipe;
	int status = STATUS_YES;

	setprogname("sbx-e2b template");
	cli_parse(&cli, &argc, &argv);
	check_paid(words);
	if (argc > 1)
		cli_usage("takes no operands, such as '%s'", argv[1]);
	if (!template_is_plain(face.dockerfile))
		cli_usage("--dockerfile takes a path below the checkout, not '%s'", face.dockerfile);
	if ((recipe = read_recipe(AT_FDCWD, face.dockerfile, &f)) == NULL)
		status = fail(&(struct template_build) {0}, &f);
	else if (face.paid)
		status = build_paid(&f);
	else
		print_plan();
	json_decref(recipe);
	return cli_end(status);
}
