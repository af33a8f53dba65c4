/* probe_parts - what the parts of probe share */
#ifndef PROBE_PARTS_H
#define PROBE_PARTS_H

#include "endpoint.h"
#include "http.h"
#include "probe.h"

/* What earlier asks of the same wait have shown. */
struct probe_past {
	bool refused;  /* the last one found nobody listening: no proxy stands in front of the app */
	bool answered; /* the last one got an answer by HTTP */
	bool cut;      /* the last one was cut: perhaps a proxy */
	int64_t tried; /* when a connection was last tried (clock_now) */
};

/*
 * Connect, and see that the connection stays for HOLD_MS or that something comes from the other side. A fault's status tells as
 * probe_ask's does.
 */
int probe_connect(const struct endpoint *, struct probe_past *, int hold_ms, int64_t deadline, struct fault *);

int probe_http(const struct probe *, struct probe_past *, int64_t deadline, struct fault *);

/* Is the reply what it should be? */
int probe_judge(const struct probe *, const struct http_reply *, struct fault *);

/* Cut a URL into its endpoint and the length of what comes before the path; `probe_invalid`. */
int probe_url(const char *url, struct endpoint *, size_t *base, struct fault *);

/* Sleep, and wake for a signal that asks to stop: -1 and the fault. */
int probe_pause(int64_t ms, int64_t deadline, struct fault *);

#endif
