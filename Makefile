# sbx - build, test, install. Everything that is made goes to $(BUILD).

VERSION = 0.1
PREFIX ?= /usr/local
BUILD ?= build$(if $(SAN),-san)$(if $(FAULTS),-faults)
CC = gcc

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wundef -Wwrite-strings -Wpointer-arith -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wformat=2 -Wimplicit-fallthrough
HARDEN = -fstack-protector-strong -fstack-clash-protection -fcf-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fPIE \
	$(if $(findstring clang,$(CC)),,-ftrivial-auto-var-init=zero)
ifdef SAN
HARDEN = -fsanitize=address,undefined -fno-sanitize-recover -fno-omit-frame-pointer -DSBX_SANITIZE
SANLINK = -fsanitize=address,undefined
endif
CFLAGS ?= -O2 -g
override CFLAGS += -std=c17 -D_GNU_SOURCE -iquote lib $(WARN) $(HARDEN) -MMD -MF $(BUILD)/deps/$(@F).d -DSBX_VERSION='"$(VERSION)"' \
	-DSBX_SHAREDIR='"$(PREFIX)/share/sbx"' $(if $(FAULTS),-DSBX_FAULTS)
override LDFLAGS += $(SANLINK) -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,--as-needed
# --as-needed leaves each program with those libraries that it uses.
LDLIBS = -larchive -ldeflate -lnettle -lutf8proc -lseccomp -lsqlite3 -ljansson -lbsd

PROGRAMS := $(patsubst cmd/%.c,$(BUILD)/bin/%,$(wildcard cmd/*.c))
SCRIPTS := $(patsubst cmd/%.sh,$(BUILD)/bin/%,$(wildcard cmd/*.sh))
# The programs of which sandboxes hold a copy.
INSIDE = sbx-within sbx-health sbx-supervise
OBJECTS := $(patsubst lib/%.c,$(BUILD)/lib/%.o,$(wildcard lib/*.c))
UNITS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))
# The first line of a source is its title, which usage texts and sbx(1) show.
title = $(shell sed -n '1s,^/\* [^ ]* - \(.*\) \*/$$,\1,p' $(1))
Q = $(if $(V),,@)

.PHONY: all check soak lint bench fuzz context image shell examples demo install uninstall dist clean format
all: $(PROGRAMS) $(SCRIPTS) $(BUILD)/programs $(INSIDE:%=$(BUILD)/image/%)

# A header that is no more: what was made from it is made again without.
lib/%.h: ;

$(BUILD)/lib/%.o: lib/%.c
	@mkdir -p $(@D) $(BUILD)/deps
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

# By it providers tell whether an image is of this version.
$(BUILD)/lib/docker_image.o: override CFLAGS += -DSBX_IMAGE='"$(shell contrib/image-digest)"'
$(BUILD)/lib/docker_image.o: contrib/image-digest $(shell find share/image)

$(BUILD)/libsbx.a: $(OBJECTS)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/bin/%: cmd/%.c $(BUILD)/libsbx.a
	@mkdir -p $(@D) $(BUILD)/deps
	$(Q)$(CC) $(CFLAGS) -DSBX_TITLE='"$(call title,$<)"' $(LDFLAGS) -o $@ $< $(BUILD)/libsbx.a $(LDLIBS)

# A workflow holds what workflows share, as a program holds libsbx.a: it depends on no file at run time.
$(BUILD)/bin/%: cmd/%.sh lib/workflow.sh
	@mkdir -p $(@D)
	$(Q)sed -e '/^\. workflow\.sh$$/r lib/workflow.sh' -e '/^\. workflow\.sh$$/d' $< | \
		sed 's,@SHAREDIR@,$(PREFIX)/share/sbx,; s,@VERSION@,$(VERSION),' >$@.new && chmod 755 $@.new && mv $@.new $@

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libsbx.a
	@mkdir -p $(@D) $(BUILD)/deps
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libsbx.a $(LDLIBS)

# What sbx(1) lists: one program a line, its name and its title.
$(BUILD)/programs: $(wildcard cmd/*)
	@mkdir -p $(@D)
	$(Q)sed -n -e '1s,^/\* \([^ ]*\) - \(.*\) \*/$$,\1	\2,p' -e '2s,^# \([^ ]*\) - \(.*\)$$,\1	\2,p' -s $^ | LC_ALL=C sort >$@

# The programs that run inside sandboxes stand on their own, since they can't know which libraries an image holds.
LIB_sbx-within = tree descend cgroup stop clock x buf cli fd
# What asks by TCP and HTTP; it needs jansson and nettle.
PROBE = probe probe_connect probe_http listener endpoint program stop_fault http http_curl http_head json digest fault text setting path id $(LIB_sbx-within)
LIB_sbx-health = $(PROBE)
LIBS_sbx-health = -ljansson -lnettle
LIB_sbx-supervise = preview preview_check preview_install services services_check ready supervise instance keeper worker logfile logline \
	escape posture posture_read environ beneath $(PROBE)
LIBS_sbx-supervise = -ljansson -lnettle
$(BUILD)/image/%: cmd/%.c $(wildcard lib/*.c lib/*.h)
	@mkdir -p $(@D) $(BUILD)/deps
	$(Q)$(CC) -O2 -std=c17 -D_GNU_SOURCE -iquote lib $(WARN) -DSBX_TITLE='"$(call title,$<)"' -DSBX_VERSION='"$(VERSION)"' \
		-DSBX_SHAREDIR='""' -DSBX_INSIDE -static -s -o $@ $< $(LIB_$*:%=lib/%.c) $(LIBS_$*) -lbsd -lmd

examples:
	contrib/pack-examples $(BUILD)/examples

image: $(INSIDE:%=$(BUILD)/image/%)
	contrib/build-image $(BUILD)/image

# What the image is made from besides its base, for builders elsewhere.
context: $(INSIDE:%=$(BUILD)/image/%)
	contrib/stage-context $(BUILD)/image

# What of the image a local run needs: the web shell with its dependencies, and the pinned Node.
shell: $(BUILD)/shell/bin/node
$(BUILD)/shell/bin/node: contrib/build-shell $(shell find share/image -type f)
	contrib/build-shell $(BUILD)/shell

# What sbx-browse drives Chromium with; an option, so nothing else needs it.
browser: $(BUILD)/browser/bin/node
$(BUILD)/browser/bin/node: contrib/build-browser $(wildcard share/browser/*)
	contrib/build-browser $(BUILD)/browser

check: all $(UNITS) examples browser $(BUILD)/e2b/installed
	BUILD='$(abspath $(BUILD))' tests/run

# The official E2B clients, which tests run and nothing installs.
$(BUILD)/e2b/installed: tests/e2b/install tests/e2b/package-lock.json
	tests/e2b/install $(@D)

soak lint bench fuzz: all
	BUILD='$(abspath $(BUILD))' tests/run-$@

demo:
	sh contrib/bootstrap demo

# bash looks for a completion by the program's name.
COMPLETIONS = $(DESTDIR)$(PREFIX)/share/bash-completion/completions

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/sbx $(DESTDIR)$(PREFIX)/libexec/sbx
	install $(PROGRAMS) $(SCRIPTS) $(DESTDIR)$(PREFIX)/bin
	install $(INSIDE:%=$(BUILD)/image/%) $(DESTDIR)$(PREFIX)/libexec/sbx
	install -m 644 $(BUILD)/programs $(DESTDIR)$(PREFIX)/share/sbx
	cp -R share/. $(DESTDIR)$(PREFIX)/share/sbx
	[ ! -d $(BUILD)/shell ] || { rm -rf $(DESTDIR)$(PREFIX)/share/sbx/shell && cp -R $(BUILD)/shell $(DESTDIR)$(PREFIX)/share/sbx; }
	[ ! -d $(BUILD)/browser ] || { rm -rf $(DESTDIR)$(PREFIX)/share/sbx/browser && cp -R $(BUILD)/browser $(DESTDIR)$(PREFIX)/share/sbx; }
	for page in man/*.[1578]; do \
		install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; done
	install -D -m 644 contrib/completions/sbx.bash $(COMPLETIONS)/sbx
	for program in $(filter-out sbx,$(notdir $(PROGRAMS) $(SCRIPTS))); do \
		ln -sf sbx $(COMPLETIONS)/$$program || exit 1; done

uninstall:
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,$(notdir $(PROGRAMS) $(SCRIPTS)))
	rm -f $(foreach page,$(wildcard man/*),$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(addprefix $(COMPLETIONS)/,$(notdir $(PROGRAMS) $(SCRIPTS)))
	rm -rf $(DESTDIR)$(PREFIX)/share/sbx $(DESTDIR)$(PREFIX)/libexec/sbx

dist:
	git archive --prefix=sbx-$(VERSION)/ -o $(BUILD)/sbx-$(VERSION).tar.gz HEAD

format:
	clang-format -i cmd/*.c lib/*.[ch]

clean:
	rm -rf build build-san build-faults

-include $(wildcard $(BUILD)/deps/*.d)
