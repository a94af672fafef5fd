"""The live figures of chapters 03, 09, 10, 12, 18 and 23: their numbers are the
package's, and what they show is what they computed."""

import json
import re
import shutil

import pages
import pytest
import torch
from books import ROOT
from softdict.attention import attention
from softdict.heads import merge_heads, split_heads
from softdict.linear_attention import delta_write, empty, read, write
from softdict.lookup import lookup
from softdict.masks import causal_mask
from softdict.transformer import sinusoids

pytestmark = pytest.mark.skipif(not pages.browser_path(), reason="no Chromium here")
FIGURES = "slopes", "root", "split", "turn", "cache", "written"
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Live</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="static/book.css">
{styles}{modules}<style>body {{ background: var(--pst-color-background);
color: var(--ink) }}</style></head><body><main><h1>Figures</h1>
<article class="bd-article">{elements}</article></main></body></html>"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A page with all six figures, each behind its static twin."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "web", folder / "web")
    shutil.copytree(ROOT / "book/static", folder / "static")
    styles = ["live", *(f"{name}_figure" for name in FIGURES)]
    for theme in ("light", "dark"):
        (folder / f"{theme}.html").write_text(PAGE.format(
            theme=theme, styles="".join(
                f'<link rel="stylesheet" href="web/{style}.css">' for style in styles
                if (folder / f"web/{style}.css").exists()),
            modules="".join(f'<script type="module" src="web/{name}_figure.js">'
                            "</script>" for name in FIGURES),
            elements="".join(
                f'<div class="cell_output"><p>The twin of {name}.</p>'
                f'<live-{name} class="live-figure"></live-{name}></div>'
                for name in FIGURES)), "utf-8")
    with pages.Browser(folder) as browser:
        yield browser


@pytest.fixture
def opened(browser):
    """Opens the page; nothing may go wrong in it, or be asked from outside."""
    found = []

    def opened(theme="light", width=1200):
        page = browser.open(f"{theme}.html", found, width)
        for name in FIGURES:
            page.wait_for_selector(f"live-{name}.drawn")
        return page

    yield opened
    browser.close_pages()
    assert not found


def run(page, name, script, given=None):
    """What a function of a figure's module gives: script is (module, given) => ..."""
    return page.evaluate(
        f"async given => ({script})(await import('/web/{name}_figure.js'), given)",
        given)


def said(page, name):
    return page.locator(f"live-{name} .said").inner_text()


def slide(page, label, value):
    """Moves the slider of that name, as a key or a finger does."""
    page.get_by_label(label).first.evaluate(
        "(one, value) => { one.value = value; one.dispatchEvent(new Event('input')) }",
        str(value))


def shown(text):
    """The numbers in a text; its minus is the typographic one."""
    return [float(number.replace("−", "-").replace("+", ""))
            for number in re.findall(r"[−+]?\d*\.?\d+", text)]


def near(mine, theirs, far=1e-6):
    mine, theirs = torch.tensor(mine).double(), torch.as_tensor(theirs).double()
    assert mine.shape == theirs.shape
    assert (mine - theirs).abs().max() < far


# Chapter 03 ---------------------------------------------------------------------------


def test_slopes_and_steps_are_autograds(opened):
    page = opened()
    torch.manual_seed(0)
    for logits in (torch.randn(30, 3, dtype=torch.float64) * 3).requires_grad_():
        for came in range(3):
            loss = -logits.log_softmax(dim=0)[came]
            [slope] = torch.autograd.grad(loss, logits)
            mine = run(page, "slopes", """(one, [logits, came]) => [one.lossOf(logits,
                came), one.slopes(logits, came), one.nudged(logits, came),
                one.stepped(logits, came)]""", [logits.tolist(), came])
            near(mine[0], loss.item())
            near(mine[1], slope)
            near(mine[2], slope, 2e-4)    # a nudge has its own error
            near(mine[3], logits.detach() - slope)


def test_the_table_of_slopes_follows_logits_and_steps(opened):
    page = opened()
    cells = page.locator("live-slopes tbody tr")

    def rows():
        return [shown(" ".join(row.locator("td").all_inner_texts()[1:6]))
                for row in cells.all()]

    assert rows() == [[2, .67, 0, .67, .67], [1, .24, 1, -.76, -.76],
                      [0, .09, 0, .09, .09]]
    assert "The loss is 1.408" in said(page, "slopes")
    page.get_by_role("button", name="Take a step").click()
    assert "The loss is 0.596" in said(page, "slopes")
    assert [row[0] for row in rows()] == [1.33, 1.76, -.09]
    page.get_by_role("button", name="Begin again").click()
    slide(page, "logit of slept", -5)
    assert "cannot be larger" in said(page, "slopes") and rows()[1][3] == -1
    page.get_by_label("the word that came").select_option("barked")
    assert rows()[0][2] == 1 and rows()[0][3] < 0 < rows()[1][3] + 0.01
    bars = page.locator("live-slopes .bar span").evaluate_all(
        "all => all.map(one => [one.className, one.style.width])")
    share = torch.tensor([2.0, -5, 0]).softmax(0) - torch.tensor([1.0, 0, 0])
    for (kind, width), slope in zip(bars, share.tolist(), strict=True):
        assert kind == ("less" if slope < 0 else "more")
        assert float(width.rstrip("%")) == pytest.approx(50 * abs(slope), abs=0.01)


# Chapter 09 ---------------------------------------------------------------------------


def test_random_numbers_are_normal_and_the_slope_is_the_jacobians_length(opened):
    page = opened()
    numbers = torch.tensor(run(page, "root", """one => { const next = one.normals(7);
        return Array.from({ length: 20000 }, next); }"""))
    assert abs(numbers.mean()) < 0.03 and abs(numbers.std() - 1) < 0.03
    assert abs((numbers.abs() < 1).float().mean() - 0.6827) < 0.02
    torch.manual_seed(1)
    for scores in torch.randn(20, 10, dtype=torch.float64) * 4:
        table = torch.autograd.functional.jacobian(lambda row: row.softmax(0), scores)
        near(run(page, "root", "(one, row) => one.slope(row)",
                 scores.softmax(0).tolist()), table.norm().item())


def test_what_is_measured_of_random_scores_is_what_torch_measures(opened):
    page = opened()
    for width in (4, 64, 1024):
        rows, plain, divided = run(page, "root", """(one, width) => {
            const rows = one.products(width, 3);
            return [rows, one.measured(rows, 1), one.measured(rows, width ** 0.5)];
        }""", width)
        rows = torch.tensor(rows, dtype=torch.float64)
        assert abs(rows.std() / width ** 0.5 - 1) < 0.2    # 600 products
        for mine, root in ((plain, 1), (divided, width ** 0.5)):
            weights = (rows / root).softmax(dim=-1)    # [B, S]
            sizes = (torch.diag_embed(weights) - weights[:, :, None]
                     * weights[:, None]).flatten(1).norm(dim=1) / root
            middle = len(rows) // 2
            near(mine["largest"], weights.amax(dim=1).sort().values[middle].item())
            near(mine["slope"], sizes.sort().values[middle].item())


def test_the_width_saturates_the_undivided_weights_alone(opened):
    page = opened()
    for seed in range(20):
        rows = run(page, "root", """(one, seed) => one.WIDTHS.map(width => {
            const rows = one.products(width, seed);
            return [one.measured(rows, 1), one.measured(rows, width ** 0.5)];
        })""", seed)
        largest = [[kind["largest"] for kind in row] for row in rows]
        assert largest[-1][0] > 0.95 and max(row[1] for row in largest) < 0.6
        assert rows[-1][0]["slope"] < rows[-1][1]["slope"] / 20
    slide(page, "width of query and key", 4)
    assert "Weights of one query, 1024 numbers wide" in page.locator(
        "live-root caption").inner_text()
    before = said(page, "root")
    page.get_by_role("button", name="Draw others").click()
    assert said(page, "root") != before and "the root of 1024 is 32" in before


# Chapter 10 ---------------------------------------------------------------------------


@pytest.mark.parametrize("heads", (1, 2, 4))
def test_numbers_go_where_the_package_puts_them(opened, heads):
    right, wrong, merged, reshaped = run(opened(), "split", """(one, heads) => {
        const right = one.split(one.named, heads);
        return [right, one.viewed(one.named, heads), one.merged(right),
                one.reshaped(right)]; }""", heads)
    named = 100 * torch.arange(4)[:, None] + torch.arange(4)
    ours = split_heads(named[None], heads)
    assert right == ours[0].tolist() and wrong == named.view(heads, 4, -1).tolist()
    assert merged == merge_heads(ours)[0].tolist() == named.tolist()
    assert reshaped == ours.reshape(4, 4).tolist()


def test_a_chosen_number_is_marked_wherever_it_goes(opened):
    page = opened()
    figure = page.locator("live-split")
    for back, parts in ((False, 3), (True, 4)):
        page.get_by_label("join them again").set_checked(back)
        for heads in ("1", "2", "4"):
            page.get_by_role("combobox", name="heads").select_option(heads)
            figure.get_by_role("button", name="301").click()
            marked = figure.locator("td.marked").all_inner_texts()
            assert marked == ["301"] * parts
    assert "Swapped and joined" in said(page, "split")
    page.get_by_role("combobox", name="heads").select_option("2")
    assert "row 0 holds numbers of “the” and “dog”" in said(page, "split")
    page.get_by_label("join them again").uncheck()
    figure.get_by_role("button", name="203").click()
    assert said(page, "split") == (
        "203 is number 3 of “bit”. View, then transpose: head 1, row 2. View alone: "
        "head 1, row 1. There head 1 holds numbers of “bit” and “Mina” alone.")
    figure.get_by_role("button", name="002").focus()
    page.keyboard.press("Enter")
    assert said(page, "split").startswith("002 is number 2 of “the”")
    assert figure.locator(":focus").inner_text() == "002"


# Chapter 12 ---------------------------------------------------------------------------


def test_scores_of_positions_are_those_of_the_chapter(opened):
    page = opened()
    codes = sinusoids(torch.arange(60), 8).double()
    words = [torch.tensor(row).double() for row in run(
        page, "turn", "one => [one.x, one.y]")]
    for t, s in ((3, 1), (8, 6), (8, 7), (45, 37), (2, 2), (1, 9)):
        mine = run(page, "turn", """(one, [t, s]) =>
            Object.values(one.SCORES).map(score => score(t, s))""", [t, s])
        angle = torch.tensor((t - s) * torch.pi / 6).cos()
        near(mine, [2 * angle, codes[t] @ codes[s],
                    (words[0] + codes[t]) @ (words[1] + codes[s])], 1e-5)


def test_two_words_move_together_and_apart(opened):
    page = opened()

    def table():
        return [shown(row) for row in page.locator("live-turn tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].slice(1)"
            ".map(cell => cell.textContent).join(' '))")]

    (turn, other), (codes, same), (plain, moved) = table()
    assert turn == other == 1 and codes == same and abs(plain - moved) > 0.05
    assert "these scores stay: turned (rotary), sinusoids alone." in said(page, "turn")
    for start in (0, 13, 40):
        slide(page, "move both: key at", start)
        (turn, other), (codes, same), (plain, moved) = table()
        assert turn == other and codes == pytest.approx(same, abs=1e-4)
        assert plain != moved
    slide(page, "move apart: distance", 1)
    assert table()[0] == [1, 1.7321] and "Another distance" in said(page, "turn")
    slide(page, "move both: key at", 1)
    slide(page, "move apart: distance", 2)
    assert all(one == other for one, other in table())
    assert "so is every score" in said(page, "turn")


def test_the_hands_stand_where_their_vectors_end(opened):
    page = opened()
    slide(page, "move both: key at", 9)
    slide(page, "move apart: distance", 4)
    line = page.locator("live-turn svg").nth(1).locator("line")
    for place, (position, length) in enumerate(((13, 2), (9, 1))):
        angle = torch.tensor(position * torch.pi / 6)
        near([float(line.nth(place).get_attribute(name)) for name in ("x2", "y2")],
             [120 + 44 * length * angle.cos(), 120 - 44 * length * angle.sin()], 1e-3)


# Chapter 18 ---------------------------------------------------------------------------


def test_the_cached_step_equals_everything_again(opened):
    page = opened()
    X = torch.tensor(run(page, "cache", "one => one.X"), dtype=torch.float64)
    for step in range(1, 7):
        again, newest, counts = run(page, "cache", """(one, step) => [one.whole(step),
            one.newest(step), one.counts(step)]""", step)
        context, weights = attention(X[:step], X[:step], X[:step], causal_mask(step))
        near(again["context"], context)
        near(again["weights"], weights)
        near(newest["context"], context[-1:])
        near(newest["weights"], weights[-1:])
        assert counts == {
            "again": {"keys": step, "scores": step ** 2,
                      "allKeys": step * (step + 1) // 2,
                      "allScores": sum(t * t for t in range(1, step + 1))},
            "cached": {"keys": 1, "scores": step, "allKeys": step,
                       "allScores": step * (step + 1) // 2}}


def test_the_maps_of_the_cache_grow_and_begin_again(opened):
    page = opened()

    def sizes():
        return [len(table.locator("td.marked").all())
                for table in page.locator("live-cache table").all()]

    assert sizes() == [16, 4]
    assert "10 keys against 4, and 30 scores against 10" in said(page, "cache")
    following = page.get_by_role("button", name="Next word")
    for wanted in ([25, 5], [36, 6], [1, 1], [4, 2]):
        following.click()
        assert sizes() == wanted
    assert "(0.330, 0.670)" in said(page, "cache")    # as in the chapter
    heads = page.locator("live-cache table").nth(1).locator("th.made")
    assert heads.all_inner_texts() == ["2"]


# Chapter 23 ---------------------------------------------------------------------------


def remembered(key, value, strength):
    """The sum and the memory of the delta rule, of P pairs in turn, by the package."""
    state, strength = empty(key, value), torch.full_like(key[:1, :1], strength)
    for pair in zip(key[:, None], value[:, None]):
        state = delta_write(state, *pair, strength, torch.ones_like(strength))
    return write(empty(key, value), key, value), state


def of_pairs(key, value):
    return [{"name": "one", "key": k, "value": v}
            for k, v in zip(key.tolist(), value.tolist())]


def test_memories_answers_and_shares_are_the_packages(opened):
    page = opened()
    torch.manual_seed(0)
    for count in (1, 2, 5, 6):
        key = torch.nn.functional.normalize(torch.randn(count, 3).double(), dim=-1)
        value, strength = torch.randn(count, 2).double(), 0.1 * count
        key[-1] = key[0]    # written again
        query = torch.nn.functional.normalize(torch.randn(1, 3).double(), dim=-1)
        found = run(page, "written", """({ sum, delta, answers, shares }, [pairs, query,
            strength]) => ({ sum: sum(pairs), delta: delta(pairs, strength),
            answers: answers(pairs, query, strength),
            shares: shares(pairs, query, strength) })""",
            [of_pairs(key, value), query[0].tolist(), strength])
        total, state = remembered(key, value, strength)
        near(found["sum"], total)
        near(found["delta"], state)
        soft, weights = lookup(query, key, value, temperature=0.1)
        near(found["answers"]["softmax"], soft[0])
        near(found["answers"]["sum"], read(total, query)[0])
        near(found["answers"]["delta rule"], read(state, query)[0])
        near(found["shares"]["softmax"], weights[0])
        for shares, answer in zip(found["shares"].values(), found["answers"].values()):
            near((torch.tensor(shares).double() @ value).tolist(), answer)


def tables(page):
    """The numbers of each table of the figure, by its caption."""
    return {table.locator("caption").inner_text(): [
        shown(" ".join(row.locator("td").all_inner_texts()))
        for row in table.locator("tbody tr").all()]
        for table in page.locator("live-written table").all()}


def test_a_key_written_twice_gives_mean_sum_and_last(opened):
    page = opened()
    page.get_by_role("button", name="Take the last back").click()    # the puppy
    seen = tables(page)
    assert seen["Shares in the answer for dog"] == [[0, .5, .5], [0, 1, 1], [0, 0, 1]]
    assert seen["Answers for dog"] == [[3, 25], [6, 50], [4, 30], [4, 30]]
    assert seen["Memory, sum"] == [[6, 50], [0, 0], [3, 5]]
    assert seen["Memory, delta rule"] == [[4, 30], [0, 0], [3, 5]]
    assert said(page, "written") == (
        "The dog is written twice, last with (4, 30). Softmax attention gives about "
        "the mean of its values, and the sum adds them up. No other key disturbs the "
        "two memories.")


def test_the_puppy_disturbs_the_dog_as_in_the_chapter(opened):
    page = opened()
    seen = tables(page)
    assert seen["The pairs, oldest first"] == [
        [0, 1, 1, .6], [0, 0, 0, .8], [1, 0, 0, 0], [3, 2, 4, 5], [5, 20, 30, 4]]
    assert seen["Shares in the answer for dog"][1:] == [[0, 1, 1, .6], [0, 0, .64, .6]]
    assert seen["Answers for dog"][2] == [5.56, 21.6]    # 4 + 0.6 · (5 − 2.4)
    marks = page.locator("live-written td.marked").all_inner_texts()
    assert shown(" ".join(marks)) == [0, .01, 0, .6, 0, .6]
    assert said(page, "written").endswith(
        "Crosstalk: shares of other keys have a size of 0.6 in the sum, and of 0.6 in "
        "the delta rule.")
    slide(page, "write strength", 0.5)
    key = torch.tensor([[0, 0, 1], [1, 0, 0], [1, 0, 0], [.6, .8, 0]])
    value = torch.tensor([[3.0, 5], [2, 20], [4, 30], [5, 4]])
    near(tables(page)["Memory, delta rule"], remembered(key, value, 0.5)[1], 0.0051)
    page.get_by_label("read with the key of").select_option("puppy")
    assert tables(page)["Answers for puppy"][3] == [5, 4]


def test_pairs_are_written_by_the_keyboard_up_to_six(opened):
    page = opened()
    page.get_by_role("button", name="Begin empty").press("Enter")
    assert said(page, "written") == (
        "Nothing is written yet, so there is nothing to read.")
    page.get_by_role("button", name="Write cat").focus()
    page.keyboard.press("Space")
    assert said(page, "written").startswith("The dog is not written: all that is")
    assert tables(page)["Answers for dog"] == [[3, 5], [0, 0], [0, 0]]
    page.keyboard.press("Tab")
    for _ in range(5):
        page.keyboard.press("Enter")
    assert said(page, "written").startswith("The dog is written 5 times, last with (2,")
    assert page.get_by_role("button", name="Write").evaluate_all(
        "all => all.map(one => one.disabled)") == [True] * 4
    assert page.evaluate(pages.TOO_WIDE) <= 0


def test_the_first_drawing_says_what_the_static_figure_says():
    cells = json.loads((ROOT / "notebooks/23_written_memory.ipynb").read_text("utf-8"))
    [alt] = [cell["metadata"]["mystnb"]["image"]["alt"] for cell in cells["cells"]
             if "live" in cell["metadata"]]
    assert re.findall(r"\.\d+", alt) == [".5", ".6", ".64", ".6"]


# All ----------------------------------------------------------------------------------


def test_the_twin_gives_way_on_the_screen_and_stays_on_paper(browser, opened):
    page = opened()
    twins = page.get_by_text("The twin of")
    assert twins.count() == len(FIGURES)
    assert not any(twin.is_visible() for twin in twins.all())
    page.emulate_media(media="print")
    assert all(twin.is_visible() for twin in twins.all())
    assert not page.locator(".said").first.is_visible()
    context = browser.chromium.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(f"{browser.address}light.html")
    assert all(twin.is_visible() for twin in still.get_by_text("The twin of").all())
    context.close()


@pytest.mark.parametrize("theme", ("light", "dark"))
def test_axe_finds_nothing(opened, theme):
    page = opened(theme)
    page.get_by_label("join them again").check()
    page.get_by_role("button", name="Next word").click()
    assert not list(pages.axe_findings(page))


def test_a_phone_scrolls_only_downwards(opened):
    page = opened(width=390)
    assert page.evaluate(pages.TOO_WIDE) <= 0
    page.get_by_label("join them again").check()
    slide(page, "words so far", 6)
    assert page.evaluate(pages.TOO_WIDE) <= 0
