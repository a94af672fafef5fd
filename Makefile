# Only calls: book/build.py has the logic, without make too: python book/build.py book
PYTHON ?= python3

.PHONY: book test shaken gpu serve lab quotes student outputs results benchmark picture clean

book test shaken gpu serve lab quotes student outputs results benchmark picture clean:
	@$(PYTHON) book/build.py $@
