# `make run` and `make test` are all an owner needs; each installs what is missing first.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

export CARGO_TARGET_DIR ?= $(CURDIR)/target
STEWARD := $(CARGO_TARGET_DIR)/release/steward

.PHONY: help setup build run test dev bench fmt

help: ## Show what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: ## Install what building needs and is missing
	@scripts/setup build

build: setup ## Build the release binary
	@cargo build --release --locked -p steward
	@echo "built $(STEWARD)"

run: build ## Build, then run Steward here until Ctrl-C; it says where it is
	@exec "$(STEWARD)" serve

test: ## Check formatting, lints and everything the tests promise
	@scripts/setup test
	@scripts/test

dev: setup ## Run the debug build, with `ARGS="ask hi"` if you like
	@cargo run -p steward -- $(or $(ARGS),serve)

bench: build ## Measure against a plain client in one run
	@cargo build --release --locked -p testkit
	@"$(CARGO_TARGET_DIR)/release/bench" --steward "$(STEWARD)" $(ARGS)

fmt: ## Format the code
	@cargo fmt --all
