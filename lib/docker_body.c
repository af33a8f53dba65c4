/* docker_body - what the Engine is asked for when a sandbox is made, and whether that is what it gave */

#include <string.h>

#include "docker.h"
#include "docker_body.h"

/*
 * The workspace is memory of a bounded size that goes with the container, and so is /tmp; the rest of the file system is read-only.
 * Both count as the container's memory once its processes write there. A preview's /tmp is the home of its database, and where
 * pip unpacks what its app asked for; only in the workspace, where those packages go, can things be executed.
 */
#define WORKSPACE_OPTIONS "size=1g,nr_inodes=262144,uid=10001,gid=10001,mode=0755,nosuid,nodev"
#define TMP_OPTIONS "rw,nosuid,nodev,size=256m,nr_inodes=65536,mode=1777"
#define PREVIEW_TMP_OPTIONS "rw,nosuid,nodev,size=1g,nr_inodes=262144,mode=1777"
#define GATEWAY "host.docker.internal:host-gateway" /* where a sign-in on the operator's own machine is reached */

enum {
	PIDS = 512
};
static const json_int_t memory = 2LL << 30;

static void
set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new(object, name, value);
}

static json_t *
labels(const struct site *s, const struct sandbox_request *r, const char *deadline)
{
	json_t *all = json_make("{s:s, s:s, s:s, s:s, s:s}", "mozaiks.sandbox", "true", "sbx.owner", s->owner,
	    "sbx.run", r->run, "sbx.purpose", r->purpose, "sbx.deadline", deadline);
	const char *preview = json_text_at(r->metadata, "manager_sandbox_id");

	if (r->bundle_sha256 != NULL)
		set(all, "sbx.bundle", json_string(r->bundle_sha256));
	if (preview != NULL)
		set(all, "mozaiks.preview", json_string(preview));
	if (json_object_size(r->metadata) > 0) {
		auto_buf struct buf text = {0};

		json_add_text(&text, r->metadata);
		set(all, "sbx.metadata", json_string(text.data));
	}
	return all;
}

json_t *
docker_env(const json_t *env)
{
	json_t *words = json_array(), *value;
	const char *name;

	json_object_foreach ((json_t *)env, name, value) {
		auto_free char *word = x_printf("%s=%s", name, json_string_value(value));

		json_array_append_new(words, json_string(word));
	}
	return words;
}

/* A preview can be reached, through a random port of the loopback interface for each port that serves it, and reach out. */
static void
connect_preview(json_t *body, json_t *host, int extra)
{
	const int ports[] = {extra, 3000, 8000};
	json_t *exposed = json_object(), *bindings = json_object();

	for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
		auto_free char *port = x_printf("%d/tcp", ports[i]);

		set(exposed, port, json_object());
		set(bindings, port, json_make("[{s:s, s:s}]", "HostIp", "127.0.0.1", "HostPort", "0"));
	}
	set(body, "ExposedPorts", exposed);
	set(host, "PortBindings", bindings);
	set(host, "ExtraHosts", json_make("[s]", GATEWAY));
}

/*
 * NetworkDisabled gives the same as the network `none`, a loopback interface and nothing else, without the Engine's network hook,
 * which is half of a container's start. Both are asked for, so that either alone would hold.
 */
static void
isolate(json_t *body, json_t *host)
{
	set(body, "NetworkDisabled", json_true());
	set(host, "NetworkMode", json_string("none"));
}

static json_t *
workspace(const json_t *all_labels)
{
	return json_make("{s:s, s:s, s:{s:b, s:O, s:{s:s, s:{s:s, s:s, s:s}}}}", "Type", "volume", "Target",
	    DOCKER_WORKSPACE, "VolumeOptions", "NoCopy", 1, "Labels", all_labels, "DriverConfig", "Name", "local",
	    "Options", "type", "tmpfs", "device", "tmpfs", "o", WORKSPACE_OPTIONS);
}

json_t *
docker_body(const struct docker *d, const struct sandbox_request *r, int64_t lifetime_ms, const char *deadline)
{
	const struct site *s = d->site;
	/* The Engine refuses to give more than it has. */
	json_int_t cpus = d->cpus == 1 ? 1 : 2;
	auto_free char *seconds = x_printf("%lld", (long long)((lifetime_ms + 999) / 1000));
	bool offline = docker_is_offline(r->purpose);
	json_t *all = labels(s, r, deadline);
	json_t *host = json_make("{s:b, s:b, s:b, s:[s], s:[s], s:i, s:I, s:I, s:I, s:{s:s}, s:{s:s}, s:[o]}", "Init",
	    1, "AutoRemove", 1, "ReadonlyRootfs", 1, "CapDrop", "ALL", "SecurityOpt", "no-new-privileges", "PidsLimit",
	    PIDS, "Memory", memory, "MemorySwap", memory, "NanoCpus", cpus * 1000000000, "LogConfig", "Type", "none",
	    "Tmpfs", "/tmp", offline ? TMP_OPTIONS : PREVIEW_TMP_OPTIONS, "Mounts", workspace(all));
	/* PID 1 sleeps as long as the sandbox may live, so that it ends by itself whatever became of us. */
	json_t *body = json_make("{s:s, s:[s, s], s:s, s:o, s:o}", "Image", r->image != NULL ? r->image : s->image,
	    "Cmd", "sleep", seconds, "WorkingDir", DOCKER_WORKSPACE, "Labels", all, "Env", docker_env(r->env));

	if (offline)
		isolate(body, host);
	else
		connect_preview(body, host, s->preview_port);
	set(body, "HostConfig", host);
	return body;
}

/* Is the value at PATH of what was asked for also in what the Engine tells of the container? */
static bool
holds(const json_t *asked, const json_t *inspected, const char *path, const char *told_path)
{
	const json_t *value = json_at(asked, path);

	return value == NULL || json_equal(value, json_at(inspected, told_path));
}

int
docker_confirm(const json_t *asked, const json_t *inspected, struct fault *f)
{
	static const char *const paths[] = {"HostConfig.Init", "HostConfig.AutoRemove", "HostConfig.CapDrop",
	    "HostConfig.SecurityOpt", "HostConfig.PidsLimit", "HostConfig.Memory", "HostConfig.NanoCpus",
	    "HostConfig.NetworkMode", "HostConfig.ExtraHosts", "HostConfig.ReadonlyRootfs", "HostConfig.Tmpfs",
	    "HostConfig.LogConfig.Type"};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (!holds(asked, inspected, paths[i], paths[i]))
			return fault_set(f, STATUS_TROUBLE, "isolation_missing",
			    "sandbox: the Engine did not give it the %s that was asked for", strchr(paths[i], '.') + 1);
	if (!holds(asked, inspected, "NetworkDisabled", "Config.NetworkDisabled") ||
	    json_true_at(inspected, "HostConfig.Privileged"))
		return fault_set(
		    f, STATUS_TROUBLE, "isolation_missing", "sandbox: the Engine made it with more than was asked for");
	if (json_true_at(asked, "NetworkDisabled") && json_object_size(json_at(inspected, "NetworkSettings.Ports")) > 0)
		return fault_set(f, STATUS_TROUBLE, "isolation_missing", "sandbox: the Engine published ports of it");
	return 0;
}
