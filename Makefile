# The entry points. Everything else is `cargo xtask`; without arguments it lists its commands.

PREFIX ?= /usr/local
DROP_IN ?=
DESTDIR ?=

TARGET := $(or $(CARGO_TARGET_DIR),target)
LISTEN := 127.0.0.1:8717
CARGO_BUILD := cargo build --release --locked
XTASK := cargo run --quiet --locked --package xtask --

# Go and the lab keep their caches below it, and not every CI runner says where it is.
export HOME := $(or $(HOME),$(shell getent passwd "$$(id -u)" | cut -d: -f6))

.PHONY: help run test install uninstall

help:
	@echo 'make run        build, measure, and serve the articles on http://$(LISTEN)'
	@echo 'make test       install what tests need, check everything'
	@echo 'make install    build and install below PREFIX ($(PREFIX)); DROP_IN=1 also links'
	@echo '                the replaced names (cat, tr); DESTDIR is for packagers'
	@echo 'make uninstall  remove what was installed below PREFIX'

# One package a call: cargo unifies features over what is built together, and that fattens the
# small programs. The target folder is this one, whatever ~/.cargo/config.toml says.
run: export CARGO_TARGET_DIR := $(TARGET)
run:
	@scripts/needs.sh run
	@! bash -c ': </dev/tcp/$(subst :,/,$(LISTEN))' 2>/dev/null || \
	    { echo 'make run: $(LISTEN): in use; LISTEN=127.0.0.1:PORT takes another' >&2; exit 2; }
	$(CARGO_BUILD) --package lissom-streams
	$(CARGO_BUILD) --package ladder
	$(CARGO_BUILD) --package lissom-blog
	$(CARGO_BUILD) --package lissom-lab
	'$(TARGET)/release/lissom' report --quick --out '$(TARGET)/articles'
	@exec '$(TARGET)/release/lissom-blog' serve '$(TARGET)/articles' --listen $(LISTEN) --title Lissom

test:
	@scripts/needs.sh test
	@$(XTASK) ci

install:
	@scripts/needs.sh run
	@$(XTASK) install --prefix '$(PREFIX)' --destdir '$(DESTDIR)' $(if $(DROP_IN),--drop-in)

uninstall:
	@$(XTASK) uninstall --prefix '$(PREFIX)' --destdir '$(DESTDIR)'
