/* diagnose - what compilers and bundlers wrote into a log, as diagnostics: file, line, column, message */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include "buf.h"
#include "logline.h"
#include "text.h"

struct diagnose_family;

enum severity {
	SEVERITY_ERROR,
	SEVERITY_WARNING,
	SEVERITY_NOTE
};

/* Texts are bounded, hold no control characters but tab and, in the message, newline, and need not be UTF-8. */
struct diagnostic {
	const char *tool; /* typescript, webpack, vite, rollup, rolldown, esbuild, python */
	enum severity severity;
	struct buf code; /* the tool's own word for the kind of it, or the plugin that spoke; may be empty */
	struct buf file; /* as the tool wrote it, relative to where it ran; empty: none */
	struct place at; /* from 1, in the tool's unit; 0: not known */
	struct buf message;
};

struct diagnose_sink {
	void (*found)(const struct diagnostic *, void *to);
	bool (*ours)(struct text file, void *to); /* does the file lie where the app does? picks a traceback's frame */
	void *to;
};

/* Reads one log. Starts out zero but for its sink. */
struct diagnose {
	struct diagnose_sink sink;
	struct logline lines;
	const struct diagnose_family *open; /* whose block the next line may belong to */
	int stage;                          /* of that family in its block */
	size_t depth;                       /* typescript: how deep the last continuation line is indented */
	const char *bundler;                /* vite, once it showed itself: what it wraps speaks in its name */
	bool failed;                        /* the bundler said so: what follows is why */
	bool webpack_4;                     /* its blocks end at a blank line */
	struct diagnostic now;              /* being put together; told once it has a message */
};

/* Feed the log's bytes, in pieces of any size. Memory does not grow with the log. */
void diagnose_feed(struct diagnose *, const char *bytes, size_t len);

/* The log is over: tell what was still open, and free all. */
void diagnose_end(struct diagnose *);

#endif
