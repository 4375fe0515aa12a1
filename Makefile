# `make run` and `make test` are all an owner needs; each installs what is missing first.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

export CARGO_TARGET_DIR ?= $(CURDIR)/target
STEWARD := $(CARGO_TARGET_DIR)/release/steward

.PHONY: help setup ui build models run test dev dev-ui bench eval-memory fmt

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

setup: ## Install what building needs and is missing
	@scripts/setup build

UI_SOURCES := $(shell find ui -path ui/node_modules -prune -o -path ui/dist -prune -o -type f -print)

ui/node_modules: ui/package-lock.json ui/package.json
	@cd ui
	npm ci --silent
	touch node_modules

ui/dist/index.html: ui/node_modules $(UI_SOURCES)
	@cd ui
	npm run --silent build
	touch dist/index.html

ui: setup ui/dist/index.html ## Build the page the binary takes in

build: setup ui ## Build the page and the release binary
	@cargo build --release --locked -p steward
	scripts/fetch-weights "$(STEWARD)" \
		|| echo "warning: notes will be found by their words only, until 'make models' or 'steward models fetch' succeeds" >&2
	echo "built $(STEWARD)"

models: build ## Get the small model that finds notes by what they mean
	@scripts/fetch-weights "$(STEWARD)"

run: build ## Build, then run Steward here until Ctrl-C; it says where it is
	@exec "$(STEWARD)" serve

test: ## Check formatting, lints and everything the tests promise
	@scripts/setup test
	@scripts/test

dev: setup ## Run the debug build, with `ARGS="ask hi"` if you like
	@cargo run -p steward -- $(or $(ARGS),serve)

dev-ui: setup ui/node_modules ## Serve the page from its sources, before a Steward that runs
	@cd ui
	exec npm run --silent dev

bench: build ## Measure against a plain client in one run
	@cargo build --release --locked -p testkit
	@"$(CARGO_TARGET_DIR)/release/bench" --steward "$(STEWARD)" $(ARGS)
	@scripts/bench-code "$(STEWARD)"

eval-memory: models ## Ask memory search the questions of evals/memory, with `ARGS=--sweep` if you like
	@evals/memory/check.py
	cargo build --release --locked -p testkit --bin eval-memory
	"$(CARGO_TARGET_DIR)/release/eval-memory" $(ARGS)

fmt: ## Format the code
	@cargo fmt --all
