"""A page of a small site in a browser: nothing may go wrong in it, and nothing is
fetched from outside."""

import pages

THEBE = "THEBE_JS_URL"    # said twice, until tools/finish.py has taken it out


def watch(page, address, problems=None):
    """Notes in page.problems, a list, what goes wrong, and what is asked from elsewhere
    than from the site at `address`.

    MathJax comes from outside here, and from the site itself in the book
    """
    problems = page.problems = [] if problems is None else problems

    page.on("request", lambda request: request.url.startswith((address, "data:"))
            or "mathjax" in request.url.lower()
            or problems.append(f"asks for {request.url}"))
    page.on("console", lambda message: message.type == "error"
            and THEBE not in message.text
            and "mathjax" not in f"{message.text} {message.location}".lower()
            and problems.append(message.text))
    page.on("pageerror", lambda error: THEBE in str(error)
            or problems.append(str(error)))


def axe_is_silent(page):
    """Asserts that axe finds nothing in either theme; the dark one changes no more than
    colours."""
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme }",
                      theme)
        assert not list(pages.axe_findings(page, theme == "dark")), theme
