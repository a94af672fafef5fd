"""A page of a small site in a browser: nothing may go wrong in it, and nothing is
fetched from outside."""

THEBE = "THEBE_JS_URL"    # said twice, until tools/finish.py has taken it out


def watch(page, address, problems=None):
    """Notes in page.problems, a list, what goes wrong, and what is asked from elsewhere
    than from the site at `address`.

    MathJax comes from outside here, and from the site itself in the book
    """
    problems = page.problems = [] if problems is None else problems

    def keep_inside(route):
        if route.request.url.startswith((address, "data:")):
            return route.continue_()
        if "mathjax" not in route.request.url.lower():
            problems.append(f"asks for {route.request.url}")
        return route.abort()

    page.route("**/*", keep_inside)
    page.on("console", lambda message: message.type == "error"
            and THEBE not in message.text
            and "mathjax" not in f"{message.text} {message.location}".lower()
            and problems.append(message.text))
    page.on("pageerror", lambda error: THEBE in str(error)
            or problems.append(str(error)))
