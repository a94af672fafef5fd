// Given to a browser by epub.py: reads one built page, without running its scripts, as XHTML with MathML.
async ([address, pages, home, site]) => {
    const text = await (await fetch(address)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const body = page.querySelector("article.bd-article > section");
    const all = names => body.querySelectorAll(names);
    const make = (name, words, kind) => Object.assign(page.createElement(name),
        { textContent: words, className: kind ?? "" });
    const unwrap = one => one.replaceWith(...one.childNodes);
    all("script, .headerlink, nav, .lines, .toctree-wrapper, .live-figure, "
        + "p:has(> a[href*='colab.research.google.com'])").forEach(one => one.remove());
    all("*").forEach(one => one.localName.includes("-") && unwrap(one));
    all("[hidden]").forEach(one => one.removeAttribute("hidden"));
    for (const one of all(".math")) {
        const [, tex] = one.textContent.trim().match(/^\\[([]([^]*)\\[)\]]$/);
        const math = new DOMParser().parseFromString(await MathJax.tex2mmlPromise(
            tex, { display: one.localName === "div" }), "text/html").body.firstChild;
        math.setAttribute("alttext", tex.trim());
        one.replaceChildren(math);
    }
    const last = make("section", "", "answers");
    for (const fold of all("details")) {
        const head = fold.querySelector("summary"), label = head.ariaLabel;
        const told = fold.matches(".hide") ? "The check of what the text claims"
            : label?.replace(/^(\w+), (.)(.*)$/, (_, kind, first, rest) =>
                `${first.toUpperCase()}${rest}: ${kind.toLowerCase()}`);
        const open = make("aside", "", "fold");
        open.append(make("p", told ?? head.textContent.trim(), "fold-head"),
            ...[...fold.childNodes].filter(one => one !== head));
        if (label) fold.remove();
        else fold.replaceWith(open);
        if (label) last.append(open);
    }
    if (last.firstChild) {
        last.id = "hints-and-answers";
        last.prepend(make("h2", "Hints and answers"));
        body.append(last);
    }
    for (const link of all("a[href]")) {
        const full = new URL(link.getAttribute("href"), address);
        const name = full.href.split("#")[0], place = name.slice(home.length);
        if (!name.startsWith(home)) continue;
        if (pages.includes(name)) link.setAttribute("href", full.href.replace(name,
            "../".repeat(address.slice(home.length).split("/").length - 1)
            + place.replace(/html$/, "xhtml")));
        else if (site && /html$/.test(place)) link.href = site + full.href.slice(home.length);
        else unwrap(link);
    }
    const images = new Set();
    for (const image of all("img")) {
        image.removeAttribute("style");
        images.add(new URL(image.getAttribute("src"), address).href.slice(home.length));
    }
    const words = head => [...head.childNodes].map(one => one.textContent).join("").trim();
    return { xhtml: new XMLSerializer().serializeToString(body), images: [...images],
        heads: [...all("h1, h2")].map(head => [head.closest("section").id, words(head)]) };
}
