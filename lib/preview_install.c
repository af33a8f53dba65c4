/* preview_install - what the app's requirements.txt names, installed for the sandbox's user */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "keeper.h"
#include "path.h"
#include "preview.h"
#include "stop.h"
#include "worker.h"
#include "x.h"

enum {
	LIMIT_MS = 300000,
	STOP_MS = 2000,
	PATIENCE_MS = 5000,
	FILE_MOST = 1 << 20
};

#define INSTALL_LOG PREVIEW_LOGS "/install.log"

/* 1: it names something; 0: there is none, or nothing but white space in it. */
static int
has_requirements(const char *workspace, struct fault *f)
{
	auto_free char *file = x_printf("%s/requirements.txt", workspace);
	auto_close int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	auto_buf struct buf text = {0};

	if (fd == -1 && errno == ENOENT)
		return 0;
	if (fd == -1 || fd_read_all(fd, &text, FILE_MOST) == -1)
		return fault_errno(f, STATUS_NO, "requirements_unreadable", "%s", file);
	for (size_t i = 0; i < text.len; i++)
		if (!isspace((unsigned char)text.data[i]))
			return 1;
	return 0;
}

/* What pip needs to find its programs, an index and a way there; nothing of the preview's settings is for the packages' own code. */
static void
compose(const struct preview *p, struct environ *e)
{
	static const char *const kept[] = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "http_proxy", "https_proxy",
	    "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"};
	auto_free char *packages = preview_packages(p);
	auto_environ struct environ pip = {0};

	environ_take(&pip, p->envp, "", "the sandbox's environment");
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (environ_get(&pip, kept[i]) != NULL)
			environ_set(e, kept[i], environ_get(&pip, kept[i]), "the sandbox's environment");
	for (size_t i = 0; i < pip.count; i++)
		if (strncmp(pip.item[i].text, "PIP_", 4) == 0) {
			auto_free char *name = x_strndup(pip.item[i].text, pip.item[i].name_len);

			environ_set(e, name, pip.item[i].text + pip.item[i].name_len + 1, pip.item[i].source);
		}
	environ_set(e, "PYTHONUSERBASE", packages, "where packages go");
}

static int
run(const char *workspace, const char *const *envp, struct fault *f)
{
	static const char *const argv[] = {"python3", "-m", "pip", "install", "--user", "--break-system-packages",
	    "--disable-pip-version-check", "--no-input", "--no-cache-dir", "-c", PREVIEW_CONSTRAINTS, "-r",
	    "requirements.txt", NULL};
	const struct keeper_job job = {.argv = argv,
	    .envp = envp,
	    .cwd = workspace,
	    .log = INSTALL_LOG,
	    .stop_signal = SIGTERM,
	    .stop_ms = STOP_MS};
	struct worker w;
	char words[WORKER_WORDS];

	worker_start(&w, keeper_work, &job);
	if (worker_wait(&w, clock_deadline(LIMIT_MS)) == -1) {
		stop_hold(true);
		worker_signal(&w, SIGTERM);
		worker_wait(&w, clock_deadline(STOP_MS + PATIENCE_MS));
		stop_hold(false);
		if (stop_pending())
			return fault_set(f, 128 + stop_signal(), "stopped", "stopped by signal %d", stop_signal());
		return fault_set(f, STATUS_NO, "install_timeout", "pip: not done after %d s", LIMIT_MS / 1000);
	}
	worker_words(&w, words);
	return worker_succeeded(&w) ? 0 : fault_set(f, STATUS_NO, "install_failed", "pip %s", words);
}

int
preview_install(const struct preview *p, struct fault *f)
{
	auto_free char *workspace = preview_workspace(p);
	auto_free const char **envp = NULL;
	auto_environ struct environ e = {0};
	int wanted = has_requirements(workspace, f);

	if (wanted != 1)
		return wanted;
	path_make_private(PREVIEW_STATE);
	path_make_private(PREVIEW_LOGS);
	compose(p, &e);
	envp = environ_list(&e);
	return run(workspace, (const char *const *)envp, f);
}
