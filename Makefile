# make run      the Debian archive through the stores, raw SQLite and GRDB, once: a table, JSON and a web page
# make test     checks the layout of sources, builds and tests everything, the examples too, and runs the benchmarks once on a part of
#               the bundled sample
# make check    what a change usually breaks: the tests of the core, the conformance suite in memory and on SQLite,
#               with all traits; the documentation; and the API of the last version
# make soak     tries all of what `make test` tries a sample of: failing calls, crash states, damage, kills, and for half an hour a store (STRATA_SOAK_HOURS)
#               random walks against an oracle; RELIABILITY_SEED repeats a run
# make sanitize  the concurrent tests under the thread sanitizer, then under the address sanitizer
# make bench    every job, with repetitions: the synthetic ratios, how they grow, the queries, lists of a million, the migrations, contexts,
#               observation, what Core Data's names and @Model cost, PostgreSQL and the archive;  make figures  puts their tables into the guide Benchmarks
# make inspector  the web inspector with Swift's libraries in it: Inspector/.build/release/strata-inspector
# make format   formats all sources;  make lint  checks them, the words, links and parameter lists of public comments and pages, and the messages of errors
# make tool     the command strata with Swift's libraries in it, its manual page and completions: .build-tool/strata;  make deb  Debian packages of them and of the inspector;
#               make tool-figures  compares it with programs that use the library, on a million objects
# make docs     the documentation of all modules in one archive, without a warning: .build-tests/docs/Strata.doccarchive

SHELL := /bin/bash
.DELETE_ON_ERROR:

# SwiftPM passes traits to the compiler in the order of a set: in another order everything is compiled again.
SWIFT := SWIFT_DETERMINISTIC_HASHING=1 swift
TEST_SCRATCH ?= .build-tests
CHECK_SCRATCH ?= .build-check
# Whole modules, each in one compiler process, those of other packages and of macros too: a process for each file loads the same modules
# thousands of times. Debug information takes a fifth of the build. No index is written, which `Tests/XCTMain.swift` allows.
TEST_FLAGS := -debug-info-format none --disable-index-store -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode
# The library, the benchmarks and the examples share that folder, and the Swift package manager would take the plan of one for the other's.
TESTED := --scratch-path $(TEST_SCRATCH) --disable-build-manifest-caching $(TEST_FLAGS)
# Without both the package manager builds the tests, and ends well without having run any.
SWIFT_TESTING := --enable-swift-testing --disable-xctest
CHECKED := GraphTests QueryTests SQLTests CoordinatorTests EngineTests ModelTests TextTests FilesTests ConformanceTests GraphConformanceTests
TOOL_SCRATCH ?= .build-tool
BENCH_SCRATCH ?= Benchmarks/.build
REPORTS ?= Benchmarks/Reports
SWIFT_FLAGS ?=
RUN_FLAGS ?=
SOAK ?= ReliabilityTests|CrashTests|OracleTests|ConformanceTests|TextTests|QueryTests|GraphTests|CoreDataTests.OtherQueueTests
SANITIZED ?= ConformanceTests \bCoreDataTests RemoteChangeTrackerTests TracingTests RemoteChangesTests InMemoryStoreTests \bFilesTests EngineTests.(Atomic|SnapshotHold) \
	GraphTests.(Background|ContextFamily|Contexts|Lifetime|Object|Observation|Snapshot) QueryTests.Key \
	LMDBTests.(Creation|LockFile|Robustness) SQLiteTests.(Concurrency|Creation|FileChange|Lock|RawWriter|ReadBurst)
SANITIZED_CASES ?= nesting,observation,events,batches,federation,saving,faulting,reopen,synchronous fetch,cancelled,without blocking,Converting misses

BENCH := --package-path Benchmarks
# A job of the runner by its command, which reports in three forms, and its flags.
job = $(BENCH_SCRATCH)/release/strata-bench $(1) $(2) $(foreach form,json html markdown,--$(form) $(REPORTS)/$(1).$(form)) $(RUN_FLAGS)
# The quick start stands as the README prints it.
SOURCES := Package.swift Sources Backends $(filter-out Tests/QuickStart,$(wildcard Tests/*)) \
	Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests \
	Examples/Package.swift $(wildcard Examples/*/Sources Examples/*/Tests) Inspector/Package.swift Inspector/Sources Inspector/Tests

.PHONY: all run test test-tools test-library test-packages check check-tests check-docs soak sanitize bench figures format lint docs prepare prepare-run prepare-bench prepare-tool prepare-deb build-bench tool tool-figures deb inspector

all: test

run: prepare-run build-bench
	$(call job,archive,--runs 1)

# Macros are built with the toolchain's own swift-syntax where it has one, as they are with the prebuilt one of the package manager's.
TOOLCHAIN_SYNTAX = $(shell swift -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1\/host/p')
test check docs: export STRATA_TOOLCHAIN_SYNTAX ?= $(if $(wildcard $(TOOLCHAIN_SYNTAX)/libSwiftSyntaxMacros.so),$(TOOLCHAIN_SYNTAX))

test docs: export STRATA_TEST_BUILD ?= debug
test docs: export STRATA_BUILT_TOOLS = $(TEST_SCRATCH)/tools.artifactbundle
check: export STRATA_TEST_BUILD := debug
check: export STRATA_BUILT_TOOLS = $(CHECK_SCRATCH)/tools.artifactbundle
soak: export STRATA_TEST_BUILD := optimized

test: prepare
	+$(MAKE) --no-print-directory --jobs 2 lint test-tools
	$(SWIFT) build --build-tests $(TESTED) $(SWIFT_FLAGS)
	+$(MAKE) --no-print-directory --jobs 2 test-library test-packages

test-tools: export SWIFT_DETERMINISTIC_HASHING := 1
test-tools: | prepare
	.ci/build-tools $(TEST_SCRATCH) $(TESTED) $(SWIFT_FLAGS)

# Many tests wait for disks, processes and servers: the other packages are built meanwhile, at a higher priority, as their steps follow one another.
test-library:
	.ci/test $(TEST_SCRATCH)

test-packages: export SWIFT_DETERMINISTIC_HASHING := 1
test-packages: export RUN_FLAGS := $(RUN_FLAGS)
test-packages:
	nice -n 5 .ci/test-packages $(TEST_SCRATCH) $(TESTED) $(SWIFT_FLAGS)

check: export STRATA_TESTS ?= $(CHECKED)
check: export CONFORMANCE_STORES ?= inMemory,sqlite
check: export SWIFT_DETERMINISTIC_HASHING := 1
check: prepare lint
	.ci/build-tools $(CHECK_SCRATCH) --enable-all-traits --scratch-path $(CHECK_SCRATCH) $(TEST_FLAGS) $(SWIFT_FLAGS)
	$(SWIFT) build --build-tests --enable-all-traits --scratch-path $(CHECK_SCRATCH) $(TEST_FLAGS) $(SWIFT_FLAGS)
	+$(MAKE) --no-print-directory --jobs 2 check-tests check-docs
	@tag=$$(git describe --tags --abbrev=0 2>/dev/null); [ -z "$$tag" ] || STRATA_BUILT_TOOLS= swift package --scratch-path $(CHECK_SCRATCH) diagnose-api-breaking-changes "$$tag"

# The documentation needs what was built, and no more: it is made while tests wait for disks and processes.
check-tests:
	.ci/test $(CHECK_SCRATCH)

check-docs:
	.ci/docs $(CHECK_SCRATCH) >$(CHECK_SCRATCH)/docs.log 2>&1 || { cat $(CHECK_SCRATCH)/docs.log; exit 1; }

soak:
	STRATA_SOAK=1 $(SWIFT) test $(TESTED) $(SWIFT_TESTING) $(SWIFT_FLAGS) --filter '$(SOAK)'

sanitize: sanitize-thread sanitize-address

# The thread sanitizer follows 65,536 calls within each other, the trees are higher.
sanitize-address: SANITIZED += QueryTests.HighTree

# Sanitizers take a multiple of the stack. Swift's macros are left out: they run in the compiler. Processes that tests end leak what they had.
sanitize-%:
	ulimit -s 65536 && STRATA_SANITIZE=$* ASAN_OPTIONS=detect_leaks=0 CONFORMANCE_CASES='$(SANITIZED_CASES)' \
		swift test --scratch-path .build-$* --sanitize $* $(SWIFT_TESTING) --traits Foundation \
		$(if $(wildcard Package.resolved),--only-use-versions-from-resolved-file) $(SWIFT_FLAGS) $(patsubst %,--filter '%',$(SANITIZED))

test bench: export STRATA_BENCH_JOBS := all
bench: prepare-bench build-bench
	$(call job,events)
	$(call job,growth)
	$(call job,queries)
	$(call job,lists)
	$(call job,migrations)
	$(call job,contexts,--count 10000 --runs 15)
	$(call job,observation,--count 10000 --runs 15)
	$(call job,history,--count 10000 --runs 5)
	$(call job,coredata,--count 10000 --runs 15)
	$(call job,archive,--complete)

FIGURES := Sources/Strata/Documentation.docc/Guides/Benchmarks.md
figures:
	for job in archive events queries; do sed -i -e "/<!-- $$job -->/,/<!-- end -->/{//!d}" \
		-e "/<!-- $$job -->/r $(REPORTS)/$$job.markdown" $(FIGURES) || exit; done

# Debug information takes a fifth of the build.
build-bench:
	swift build -c release $(BENCH) --scratch-path $(BENCH_SCRATCH) --product strata-bench -debug-info-format none $(SWIFT_FLAGS)

inspector:
	swift build -c release --package-path Inspector --product strata-inspector --static-swift-stdlib --disable-local-rpath -debug-info-format none $(SWIFT_FLAGS)

tool: prepare-tool
	+Sources/Tools/Packaging/tool $(TOOL_SCRATCH) $(SWIFT_FLAGS)

tool-figures: tool
	Sources/Tools/Packaging/figures $(TOOL_SCRATCH)

deb: prepare-deb tool inspector
	Sources/Tools/Packaging/deb $(TOOL_SCRATCH) Inspector/.build/release/strata-inspector

prepare:
	@Benchmarks/Scripts/prepare server

prepare-tool:
	@Benchmarks/Scripts/prepare

prepare-deb:
	@Benchmarks/Scripts/prepare deb

prepare-run:
	@Benchmarks/Scripts/prepare index

prepare-bench:
	@Benchmarks/Scripts/prepare server index

format:
	swift format --in-place --recursive --parallel $(SOURCES)

docs: test-tools
	$(SWIFT) build --build-tests $(TESTED) $(SWIFT_FLAGS)
	.ci/docs $(TEST_SCRATCH)

lint:
	swift format lint --strict --recursive --parallel $(SOURCES)
	.ci/words
	.ci/package-declarations
	.ci/sizes
	.ci/messages
	.ci/doc-comments
	.ci/lazy-functions
	@! grep -rnE '(import|canImport\()[ (]*(Glibc|Musl|Android|Bionic|Darwin)\b' --include=*.swift $(SOURCES) | grep -v '^Sources/Platform/' \
		|| { echo "error: the C library of the system is imported by Sources/Platform alone"; exit 1; }
	@! grep -rnx 'import Foundation' Sources/Tools/{Command,StoreTool,ModelTool,CoreDataTool} \
		|| { echo "error: the command imports FoundationEssentials: Foundation and its ICU have 40 MB"; exit 1; }
