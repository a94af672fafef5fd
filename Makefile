# Only calls: the logic is book/build.py, which works without make too: python book/build.py book
PYTHON ?= python3

.PHONY: book test serve lab quotes student outputs results benchmark picture clean

book test serve lab quotes student outputs results benchmark picture clean:
	@$(PYTHON) book/build.py $@
