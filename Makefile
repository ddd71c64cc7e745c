# The commands of README.md. Everything is built by Meson; this file installs what is missing and gives short names.
#   BUILD    folder of the release build, beside it BUILD-test and others
#   SUITE    suites to test, such as SUITE="sm mem"; all when empty
#   FULL     not empty: slow tests run in their full form
#   OPTIONS  for Meson, when a folder is set up
#   PACKAGES Python packages that `make python` runs; all when empty
#   PREFIX   folder that install writes to, /usr/local; DESTDIR is put before it
BUILD ?= build
SUITE ?=
FULL ?=
OPTIONS ?=
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 30
FUZZ_TIME ?= --each $(FUZZ_SECONDS)
PACKAGES ?=
, := ,

RELEASE = $(BUILD)
TEST = $(BUILD)-test
CLANG = $(BUILD)-clang
ASAN = $(BUILD)-asan
TSAN = $(BUILD)-tsan
FUZZ = $(BUILD)-fuzz

# $(call build,FOLDER,OPTIONS,TARGETS): sets the folder up once, then builds.
build = tools/build.py $(1) $(2) $(OPTIONS) -- $(3)
full = $(if $(FULL),SUBCORE_FULL=1)
suites = $(addprefix --suite ,$(SUITE))
checks = -Dbuildtype=debugoptimized -Dwerror=true

.PHONY: help demo test python build install dist deb commands diagrams packages bench measurements accuracy numbers reference clang sanitize tsan fuzz format clean

help:
	@echo "make demo      build, and simulate a matrix multiplication on an RTX A6000"
	@echo "make test      build with assertions, and run every test (SUITE=\"sm mem\" runs those suites,"
	@echo "               FULL=1 slow tests in their full form)"
	@echo "make python    install Triton, numba-cuda, tinygrad, PyTorch and cuda.core in scratch environments, and run"
	@echo "               programs on them (PACKAGES=\"numba-cuda triton\" takes those; PyTorch downloads 3 GB)"
	@echo "make build     build the simulator: $(RELEASE)/subcore"
	@echo "make install   build, and install into PREFIX=$(PREFIX), with man pages and completions"
	@echo "make deb       pack an installation as a Debian package: $(RELEASE)/subcore_VERSION_ARCHITECTURE.deb"
	@echo "make commands  run the commands that the documents print, and compare their output (an hour;"
	@echo "               RESUME=1 goes on after an interruption)"
	@echo "make diagrams  draw the pictures of docs/pictures from their descriptions"
	@echo "make dist      pack the sources of this commit: $(RELEASE)/meson-dist"
	@echo "make bench     measure the simulator's own speed, and compare it with the last entry of bench/history.csv"
	@echo "make measurements  measure the memory systems of all GPUs: plots and a summary; and parts of the simulator"
	@echo "make accuracy  compare with hardware what was measured of it, and write docs/accuracy.md"
	@echo "make numbers   write the measured numbers into the documents that cite them"
	@echo "make reference write docs/commands.md and docs/keys.md from the program"
	@echo "make clang     build everything with clang, warnings are errors"
	@echo "make sanitize  run the tests with the address and undefined-behaviour sanitizers"
	@echo "make tsan      run the tests with the thread sanitizer"
	@echo "make fuzz      fuzz every parser for FUZZ_SECONDS ($(FUZZ_SECONDS)) each; needs clang"
	@echo "make format    clang-format all C files in place"
	@echo "make clean     remove the build folders"

packages:
	@tools/packages.sh

build: packages
	@$(call build,$(RELEASE),-Dtests=false)

# Meson asks dpkg-architecture for the folder of libraries, which a small Debian lacks; the compiler knows it as well.
install: build
	@folder=$(if $(findstring libdir,$(OPTIONS)),,$$($(CC) -print-multiarch 2>/dev/null)); \
	    meson configure $(RELEASE) -Dprefix=$(abspath $(PREFIX)) $${folder:+-Dlibdir=lib/$$folder}
	@$(call build,$(RELEASE),-Dtests=false)
	@DESTDIR=$(DESTDIR) meson install -C $(RELEASE) --no-rebuild --quiet
	@echo "installed: $(DESTDIR)$(abspath $(PREFIX))/bin/subcore"

dist: build
	@meson dist -C $(RELEASE) --no-tests --formats xztar

deb:
	@rm -rf $(RELEASE)/deb
	@$(MAKE) --no-print-directory install PREFIX=/usr DESTDIR=$(abspath $(RELEASE))/deb
	@tools/deb.sh $(abspath $(RELEASE))/deb $$(meson introspect $(RELEASE) --projectinfo | \
	    python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])') $(RELEASE)

commands: build
	@SUBCORE_FULL=1 tools/check_commands.py . $(RELEASE) $(if $(RESUME),--resume)

diagrams:
	@python3 tools/diagrams.py docs/pictures

demo: build
	$(RELEASE)/subcore demo sgemm-register --gpu rtx-a6000

test: packages
	@rm -f $(TEST)/meson-logs/testlog.json
	@$(call build,$(TEST),$(checks),all ladder) && $(full) meson test -C $(TEST) --no-rebuild --print-errorlogs $(suites); \
	    status=$$?; python3 tools/test_summary.py $(TEST)/meson-logs/testlog.json && exit $$status

python: build
	@python3 tests/python/run.py $(RELEASE)/subcore $(PACKAGES)

bench: packages
	@$(call build,$(RELEASE),-Dtests=false,bench/subcore_bench)
	@python3 tools/bench.py $(RELEASE)/bench/subcore_bench bench/history.csv $(if $(SAVE),--save)
	@$(if $(SAVE),$(MAKE) --no-print-directory numbers)

measurements: build
	@meson test -C $(RELEASE) --benchmark --verbose

accuracy: build
	@python3 tools/accuracy.py $(RELEASE)/subcore $(RELEASE)/accuracy docs/accuracy.md
	@$(MAKE) --no-print-directory numbers

reference: build
	@python3 tools/reference.py . $(RELEASE)/subcore

numbers:
	@python3 tools/numbers.py .

clang: packages
	@CC=clang; export CC; $(call build,$(CLANG),-Dwerror=true)

sanitize: packages
	@$(call build,$(ASAN),$(checks) -Db_sanitize=address$(,)undefined)
	@UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks.txt:print_suppressions=0 \
	    $(full) meson test -C $(ASAN) --no-rebuild --print-errorlogs --timeout-multiplier 10 $(suites)

tsan: packages
	@$(call build,$(TSAN),$(checks) -Db_sanitize=thread)
	@TSAN_OPTIONS=halt_on_error=1 \
	    $(full) meson test -C $(TSAN) --no-rebuild --print-errorlogs --timeout-multiplier 20 $(suites)

fuzz: packages
	@CC=clang; export CC; \
	    $(call build,$(FUZZ),$(checks) -Dfuzz=true -Db_sanitize=address$(,)undefined -Db_lundef=false,fuzz)
	@tools/fuzz.py $(FUZZ) $(FUZZ_TIME)

format:
	@clang-format -i $$(find src include tests examples validate bench tools -name '*.[ch]' -not -path '*/data/*' 2>/dev/null)

clean:
	rm -rf $(RELEASE) $(TEST) $(CLANG) $(ASAN) $(TSAN) $(FUZZ)

