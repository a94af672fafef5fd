"""Fonts for letters that the usual one lacks, such as Korean ones."""

from matplotlib import font_manager, rcParams


def fonts_for(text):
    """Font families that draw a text together, the usual ones first.

    returns their names, and the letters of the text that no installed font has
    """
    families = list(rcParams["font.family"])
    usual = font_manager.findfont(font_manager.FontProperties())
    missing = set(text) - letters(usual)
    # regular ones first; sorted, so that the same fonts draw the same picture
    for path in sorted(font_manager.findSystemFonts(),
                       key=lambda path: ("Regular" not in path, path)):
        if not missing:
            break
        if found := missing & letters(path):
            font_manager.fontManager.addfont(path)    # newer than its list, perhaps
            families.append(font_manager.get_font(path).family_name)
            missing -= found
    return families, sorted(missing)


def letters(path):
    """The letters that the font of a file draws."""
    try:
        font = font_manager.get_font(path)
    except (OSError, RuntimeError):    # damaged, or pictures in place of outlines
        return set()
    if "lastresort" in font.family_name.replace(" ", "").lower():
        return set()    # it has a box for every letter
    return set(map(chr, font.get_charmap()))
