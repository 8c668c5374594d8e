# The front door: `make help` lists the targets. CMake does the work, in build/; nothing here needs configuring.
#
# ARGS="…" goes to the program that a target runs; CMAKE_ARGS="-D…" goes to CMake, when it configures for the first time;
# BUILD=… names another build folder. Two makes may run at once: the second waits for the first one's build.
.DEFAULT_GOAL := help
BUILD ?= build
ARGS ?=
BESIDE ?=
CMAKE_ARGS ?=
export WORKBOOK_BUILD_DIR = $(BUILD)
export WORKBOOK_CMAKE_ARGS = $(CMAKE_ARGS)

# Without root, packages are unpacked into the build folder (unpacked.sh): their programs, libraries and Python modules.
unpacked := $(if $(filter /%,$(BUILD)),,$(CURDIR)/)$(BUILD)/packages/usr
unpacked_libraries := $(unpacked)/lib/$(firstword $(subst -, ,$(MAKE_HOST)))-linux-gnu
unpacked_modules := $(unpacked)/lib/python3/dist-packages
export PATH := $(unpacked)/bin:$(PATH)
export LD_LIBRARY_PATH := $(unpacked_libraries):$(unpacked_libraries)/blas:$(unpacked_libraries)/lapack$(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))
export PYTHONPATH := $(unpacked_modules)$(if $(PYTHONPATH),:$(PYTHONPATH))

# Installs what is missing, configures where needed, and builds the target named after it. It talks on standard error, so
# that a program's own standard output can be kept: make -s chapter1 ARGS="--json -" > chapter1.json
build := sh common/tools/bootstrap/build.sh
# The packages common/book and plots; build/python holds what a package manager did not have.
python := PYTHONPATH="common:.:$(BUILD)/python:$(unpacked_modules)" python3
book := $(python) -m book

# A number is part of the word: `make test 3` would run every test before it missed a target named 3.
words_with_number := step elsewhere chapter profile play limit sass hint diff reset watch live predict page whatif
example := $(firstword $(filter $(words_with_number) test grade,$(MAKECMDGOALS)) chapter)
ifneq ($(filter 0% 1% 2% 3% 4% 5% 6% 7% 8% 9%,$(MAKECMDGOALS)),)
  $(error Write the number right behind the word, without a blank: make $(example)3)
endif
$(words_with_number):
	@echo "Which $(if $(filter step,$@),step,chapter)? Write its number right behind the word: make $@3" >&2
	@echo "(\`make chapters\` lists the chapters; chapter 0 has the steps.)" >&2
	@exit 2

.PHONY: $(words_with_number) help chapters progress next review zoo grade class test test-all bench-emulator wheel mutants superopt ranks generate outputs plots figures drawings \
  story machine docs book slides blocks format clean FORCE

help:
	@sh common/tools/bootstrap/help.sh

chapters:
	@sh common/tools/bootstrap/help.sh chapters

# The first steps: four tiny programs, each complete, on the emulator.
step%: FORCE
	@file=$$(ls docs/examples/steps/"$*"_*.cu 2>/dev/null) || { \
	    echo "There is no step $*: there are" $$(cd docs/examples/steps && ls) >&2; exit 2; }; \
	  $(build) emulate && "$(BUILD)/bin/emulate" $(ARGS) "$$file"

# The tasks on other problems, after chapters 3, 7 and 9. ARGS=solution runs our kernel.
elsewhere%: FORCE
	@ls docs/examples/elsewhere/"$*"_*.cu >/dev/null 2>&1 || { \
	    echo "There is no task $*: there are" $$(cd docs/examples/elsewhere && ls -d *.cu) >&2; exit 2; }; \
	  $(have_python) && $(build) emulate && $(book) elsewhere "$*" --build "$(BUILD)" $(ARGS)

chapter%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  $(build) "chapter$$number" && "$(BUILD)/bin/chapter$$number" $(ARGS) && \
	  { [ "$$number" != 16 ] || [ -n "$(ARGS)" ] || sh common/tools/bootstrap/ranks.sh where-there-is-mpi; }

# Chapter 16 on several processes of this machine, a GPU each: RANKS=8 ARGS="--type float"
ranks:
	@$(build) chapter16 && $(build) ranks16 && sh common/tools/bootstrap/ranks.sh run "$(or $(RANKS),4)" $(ARGS)

# The strict verdict on the student's kernel; what each of its lines costs; and what its time goes into, on a GPU.
define option_target
$(1)%: FORCE
	@number=$$$$(sh common/tools/bootstrap/help.sh number "$$*") && \
	  $$(build) "chapter$$$$number" && "$$(BUILD)/bin/chapter$$$$number" --$(1) $$(ARGS)
endef
$(foreach verb,test profile limit,$(eval $(call option_target,$(verb))))

# The kernel in motion: a page for a browser. A kernel that is wrong is what one wants to look at. BESIDE=reference shows
# another kernel of the chapter in step with it.
play%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  $(build) "chapter$$number" && run() { "$(BUILD)/bin/chapter$$number" "$$@" $(ARGS) || [ $$? = 1 ]; } && \
	  if [ -n "$(BESIDE)" ]; then \
	    run --profile "$(BESIDE)" --record "$(BUILD)/beside$$number.json" && \
	    run --play "$(BUILD)/play$$number.html" --beside "$(BUILD)/beside$$number.json"; \
	  else run --play "$(BUILD)/play$$number.html"; fi && \
	  echo "$(BUILD)/play$$number.html: open it in a browser."

# The machine code of the chapter's kernels.
sass%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  sh common/tools/bootstrap/bootstrap.sh build cuda sass >&2 && \
	  $(build) sass && $(build) machine_code && $(build) "chapter$$number" && \
	  $(book) sass "$$number" $(ARGS)

# What goes on between the student and the chapters: hints, comparisons, progress. ARGS="…" goes to it. It takes Python;
# what builds a chapter is looked for once one has to be built.
have_python := { command -v python3 >/dev/null || sh common/tools/bootstrap/bootstrap.sh book >&2; }
student := $(have_python) && $(book)
define student_target
$(1)%: FORCE
	@number=$$$$(sh common/tools/bootstrap/help.sh number "$$*") && $$(student) $(1) "$$$$number" $$(ARGS)
endef
$(foreach verb,hint diff reset watch predict page,$(eval $(call student_target,$(verb))))

# A page that follows the student's file. What is missing is installed first, where one can be asked for a password. It
# takes the shell's place, so that who ends make ends it.
live%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && $(have_python) && \
	  sh common/tools/bootstrap/bootstrap.sh build cuda >&2 && exec env $(book) live "$$number" $(ARGS)

progress next review:
	@$(student) $@ $(ARGS)

# Wrong kernels to study: ARGS=12 shows the twelfth, runs it, and asks what is wrong; ARGS="12 --repair" judges a repair.
zoo:
	@$(build) specimen && $(book) zoo --build "$(BUILD)" $(ARGS)

# A sheet of the exercises in this tree, or, with SUBMISSIONS=dir, of a class.
reader := sh common/tools/bootstrap/bootstrap.sh build cuda grade >&2
grader = $(book) grade --build "$(BUILD)" $(if $(SUBMISSIONS),--submissions "$(SUBMISSIONS)") \
  $(if $(FORMAT),--format "$(FORMAT)") $(if $(ROSTER),--roster "$(ROSTER)")
comma := ,
# A kit for another system is made of the tree: where it is all that is wanted, no judge has to be built.
only_a_kit = $(and $(FORMAT),$(if $(SUBMISSIONS),,y),$(if $(filter-out gradescope classroom,$(subst $(comma), ,$(FORMAT))),,y))
grade:
	@$(reader) && $(build) $(if $(only_a_kit),exercise_host,grader) && $(grader) $(ARGS)

# What the class learned: a page of all sheets at or below SHEETS.
class:
	@$(have_python) && $(book) class $(if $(SHEETS),--sheets "$(SHEETS)") \
	  $(if $(SUBMISSIONS),--submissions "$(SUBMISSIONS)") $(ARGS)

# The same for one chapter: one judge to build.
grade%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  $(reader) && $(build) exercise_host && $(build) "judge$$number" && $(grader) --chapters "$$number" $(ARGS)

# Two depths: what tells a newcomer or a student that everything here works, and everything there is.
ctest = ctest --test-dir "$(BUILD)" --no-tests=error --output-on-failure --timeout 300 -j "$$(nproc)"
test:
	@$(build) quick && $(ctest) -L quick $(ARGS)

test-all:
	@$(build) all && $(ctest) $(ARGS)

bench-emulator:
	@$(build) bench_emulator && $(build) bench_kinds && "$(BUILD)/bin/bench_emulator" $(ARGS) && "$(BUILD)/bin/bench_kinds" $(ARGS)

# The emulator as a Python wheel, for other machines: build/wheel.
wheel:
	@sh common/tools/bootstrap/bootstrap.sh build cuda wheel >&2 && sh common/package/make_wheel.sh "$(BUILD)"

# Makes clean programs wrong in one place at a time, and says what the emulator finds: docs/mutants.md. Takes long. With ARGS, such as
# "--only scan", nothing is recorded.
mutants:
	@$(build) emulate && python3 tests/mutants/try_mutants.py run "$(BUILD)" $(if $(ARGS),$(ARGS),--out tests/data/mutants.json) && \
	  python3 tests/mutants/try_mutants.py page

# Searches for a cheaper program on a warp: ARGS="--target sum16 --cost turing". make -s superopt ARGS=--help
superopt:
	@$(build) superopt_program && "$(BUILD)/bin/superopt" $(ARGS)

generate:
	@$(build) generate

# Renews what README.md and the lessons show of the programs.
outputs:
	@$(build) all && $(python) -m book.outputs --programs "$(BUILD)/bin" && \
	  "$(BUILD)/bin/agreement" >docs/agreement.md && \
	  python3 tests/wrong_kernels/sanitize.py page && python3 tests/programs/coverage.py && \
	  python3 tests/mutants/try_mutants.py page

# Draws the recorded data, or DATA=FILE|FOLDER, into build/plots.
plots:
	@sh common/tools/bootstrap/bootstrap.sh plots >&2 && \
	  sh common/book/python.sh matplotlib -m plots.plots --out "$(BUILD)/plots" $(if $(DATA),--data "$(DATA)") $(ARGS)

# What would happen if the kernel of a chapter ran in other blocks, by the model of time: into build/plots.
whatif%: FORCE
	@number=$$(sh common/tools/bootstrap/help.sh number "$*") && \
	  sh common/tools/bootstrap/bootstrap.sh plots >&2 && $(build) "chapter$$number" && \
	  sh common/book/python.sh matplotlib -m plots.what_if --program "$(BUILD)/bin/chapter$$number" --out "$(BUILD)/plots" $(ARGS)

# For authors: renews the figures and drawings that the pages show, and the predictions that some of them draw.
figures:
	@sh common/tools/bootstrap/bootstrap.sh plots >&2 && $(build) model_accuracy && $(build) chapter7 && \
	  $(python) -m plots.record_predictions "$(BUILD)/bin" plots/data/predictions_h200.json && \
	  $(python) -m plots.what_if --program "$(BUILD)/bin/chapter7" --kernel reference \
	    --record plots/data/what_if_chapter7.json && \
	  sh common/book/python.sh matplotlib -m plots.plots --out plots/figures --svg
drawings:
	@$(build) chapters && $(build) superopt_program && $(python) -m plots.drawings.draw --programs "$(BUILD)/bin"

# Harris' table: measured here where there is a GPU, else from the recorded data; drawn where there is matplotlib.
story:
	@if nvidia-smi -L >/dev/null 2>&1; then $(build) ladder; set -- --ladder "$(BUILD)/bin/ladder"; else set --; fi; \
	  $(have_python) && $(python) -m book.story "$$@" || exit; \
	  if sh common/book/python.sh matplotlib -c 'import numpy' 2>/dev/null; then \
	    sh common/book/python.sh matplotlib -m plots.plots --out "$(BUILD)/plots" then_and_now; \
	  else \
	    echo "The figure is left out: there is no matplotlib here. \`make plots\` installs it." >&2; \
	  fi

# The facts of this machine's GPU that explain how long kernels take: ARGS="--parts starts,launches --json mine.json"
machine:
	@$(build) machine && "$(BUILD)/bin/machine" $(ARGS)

# The site, for a browser: build/docs/html/index.html.
docs:
	@sh common/tools/bootstrap/bootstrap.sh docs >&2 && \
	  sh common/book/python.sh markdown -m book.site --out "$(BUILD)/docs" --programs "$(BUILD)/bin"

# The same as one page, to print: build/book.html.
book:
	@sh common/tools/bootstrap/bootstrap.sh docs >&2 && \
	  sh common/book/python.sh markdown -m book.one_page --out "$(BUILD)/book.html"

# A deck for each session of the instructor's guide: build/slides/sessionN.html.
slides:
	@sh common/tools/bootstrap/bootstrap.sh docs >&2 && \
	  sh common/book/python.sh markdown -m book.slides --out "$(BUILD)/slides"

# A simulator of blocks, slots and bytes in flight, for chapters 4 to 8: build/blocks.html.
blocks:
	@$(have_python) && $(python) -m book.blocks --out "$(BUILD)/blocks.html" && \
	  echo "$(BUILD)/blocks.html: open it in a browser."

format:
	@sh common/tools/bootstrap/bootstrap.sh style >&2 && \
	  git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 "$(BUILD)/style/bin/clang-format" -i && \
	  "$(BUILD)/style/bin/ruff" format --quiet

clean:
	@[ ! -f "$(BUILD)/CMakeCache.txt" ] || \
	  sh common/tools/bootstrap/lock.sh "$(BUILD)" cmake --build "$(BUILD)" --target clean

FORCE:
