# A thin front for CMake, for the hands. `make` builds; see `make help`.
PRESET ?= release
BUILD  := build/$(PRESET)
CTEST  := ctest --test-dir

.PHONY: all build demo check check-asan check-ubsan check-tsan check-clang bench fuzz fmt tidy layers cov docs oracle install help setup

all: setup
	@$(MAKE) --no-print-directory build

help:
	@echo "make                builds programs in $(BUILD)/bin and the plugin in $(BUILD)/lib"
	@echo "make demo           sets up, builds, fetches a model, asks it a question"
	@echo "make check [T=re]   sets up, builds, passes the tests (T: those whose name matches)"
	@echo "make check-asan check-ubsan check-tsan check-clang    the quick tests in such a build"
	@echo "make bench [B=what] [PERTURB=5]    measures this build beside its peers (bench/)"
	@echo "make fuzz F=shlo_parse S=60    fuzzes one parser for S seconds"
	@echo "make fmt tidy layers cov docs oracle install"

setup:
	@scripts/setup.sh build

build/%/build.ninja: CMakeLists.txt CMakePresets.json
	@cmake --preset $* >/dev/null

build: $(BUILD)/build.ninja
	@cmake --build $(BUILD)

demo:
	@scripts/setup.sh demo
	@$(MAKE) --no-print-directory build
	@scripts/demo.sh $(BUILD)/bin/tlaloc

check:
	@scripts/setup.sh check
	@$(MAKE) --no-print-directory build layers
	@$(CTEST) $(BUILD) --output-on-failure $(if $(T),-R '$(T)')

check-asan check-ubsan check-tsan check-clang: check-%:
	@scripts/setup.sh $(if $(filter clang,$*),clang,build)
	@$(MAKE) --no-print-directory build PRESET=$*
	@$(CTEST) build/$* --output-on-failure -j2 -L quick $(if $(T),-R '$(T)')

bench:
	@scripts/setup.sh build
	@$(MAKE) --no-print-directory build
	@bench/run.sh $(BUILD)/bin/tlaloc $(or $(B),peers) $(if $(PERTURB),--perturb $(PERTURB))

fuzz:
	@test -n "$(F)" || { echo "make fuzz F=<area>_<subject> [S=seconds]; targets:"; ls tests/fuzz | grep -v replay; exit 2; }
	@scripts/setup.sh clang
	@$(MAKE) --no-print-directory build PRESET=fuzz
	@mkdir -p build/fuzz/corpus/$(F)
	@build/fuzz/bin/fuzz_$(F) -max_total_time=$(or $(S),60) -max_len=65536 build/fuzz/corpus/$(F) tests/fuzz/$(F)

fmt:
	@scripts/setup.sh clang
	@git ls-files '*.c' '*.h' '*.inc' | xargs clang-format-19 -i

tidy:
	@scripts/setup.sh clang
	@cmake --preset clang >/dev/null
	@git ls-files 'src/*.c' 'tools/*.c' | grep -v -e _avx -e _fuzz | xargs -P 2 -n 8 clang-tidy-19 -p build/clang --quiet

layers:
	@scripts/layers.sh

cov:
	@$(MAKE) --no-print-directory build PRESET=cov
	@$(CTEST) build/cov -L quick >/dev/null; scripts/cov.sh build/cov

docs: setup build
	@$(BUILD)/bin/op_pages tests/sweep docs/ops

oracle:
	@scripts/oracle.sh

install: build
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))
