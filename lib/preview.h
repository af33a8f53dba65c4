/* preview - the app of a sandbox at work: its dependencies, its services, whether they are the right app's */
#ifndef PREVIEW_H
#define PREVIEW_H

#include "environ.h"
#include "fault.h"

/* Fixed places of the image and of the sandbox; sbx-image(7) lists them. */
#define PREVIEW_SERVICES "/etc/sbx/services.json"
#define PREVIEW_CONSTRAINTS "/opt/mozaiks/preview-constraints.txt"
#define PREVIEW_STATE "/tmp/mozaiks-preview"
#define PREVIEW_LOGS PREVIEW_STATE "/logs"
#define PREVIEW_PID PREVIEW_STATE "/supervisor.pid"
#define PREVIEW_LOG PREVIEW_STATE "/runtime.log"

struct preview {
	const char *app_root; /* "/workspace/app": the workspace is what it lies in */
	const char *url;      /* where its users find it; NULL: at PORT of this machine */
	int port;             /* of the frontend, inside */
	const char *const *envp;
};

/* The directory in which the app lies; the caller frees it. */
char *preview_workspace(const struct preview *);

/* Where packages go that the app asks for: the workspace can be written to and executed in, unlike /tmp. The caller frees it. */
char *preview_packages(const struct preview *);

/*
 * Run the services until a signal asks to stop: 0; or until one of them ends. -1 and a fault: those of posture.h, services.h, supervise.h
 * and instance.h; `image_incomplete` (2).
 */
int preview_start(const struct preview *, struct fault *);

/* End what preview_start runs. Nothing that runs is fine. The faults are instance_stop's. */
int preview_stop(struct fault *);

/*
 * Install what the app's requirements.txt names, if there is one, within what the image's constraints allow. -1 and a fault with status
 * 1: `install_failed`, `install_timeout`; or `stopped`.
 */
int preview_install(const struct preview *, struct fault *);

/*
 * Do the backend, the frontend and the frontend's way to the backend answer, in this order, and is it this app? -1 and the fault of the
 * first that does not, named in the message (probe_ask's faults), with why the supervisor ended where it did; posture_read's where the
 * app has no identity.
 */
int preview_check(const struct preview *, struct fault *);

#endif
