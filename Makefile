# Only calls: tools/build.py has the logic, without make too: python tools/build.py book
PYTHON ?= python3
ONLY ?=        # make student ONLY=02,07, make test ONLY=02
SEED ?=        # make moodle SEED=3

.PHONY: help book test shaken rehearse gpu serve lab quotes student colab outputs lock address results benchmark picture pdf epub slides cards moodle clean

help:    # what make alone says: a line for each of these
	@$(PYTHON) tools/build.py

book test shaken rehearse gpu serve lab quotes student colab outputs lock results benchmark picture pdf epub slides cards clean:
	@$(PYTHON) tools/build.py $@ $(ONLY)

moodle:
	@$(PYTHON) tools/build.py moodle $(SEED)

# make address OWNER/NAME: the second word is no target of its own
ifeq ($(firstword $(MAKECMDGOALS)),address)
address:
	@$(PYTHON) tools/build.py address $(word 2,$(MAKECMDGOALS))
$(word 2,$(MAKECMDGOALS)):
	@:
endif
