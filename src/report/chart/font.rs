//! How wide a text is, read from the built-in font itself. Reads only what a width takes: no shaping, no kerning.

const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold-subset.ttf");

/// What plotters divides a size by before it stands in the SVG.
const SIZE_TO_PIXELS: f64 = 1.24;

/// Width of a text in pixels, as bold letters: ordinary ones are never wider.
pub(super) fn text_width(text: &str, size: u32) -> i32 {
    let units: f64 = text.chars().map(|c| f64::from(advance(FONT, c))).sum();
    (units * f64::from(size) / SIZE_TO_PIXELS / units_per_em(FONT)).ceil() as i32
}

fn units_per_em(font: &[u8]) -> f64 {
    table(font, b"head")
        .and_then(|head| number(font, head + 18))
        .map_or(2048.0, |units| f64::from(units).max(1.0))
}

/// A character's advance in font units; one that the font lacks counts as a whole em.
fn advance(font: &[u8], c: char) -> u16 {
    found_advance(font, c).unwrap_or(2048)
}

fn found_advance(font: &[u8], c: char) -> Option<u16> {
    let glyph = usize::from(glyph(font, u16::try_from(u32::from(c)).ok()?)?);
    let metrics = usize::from(number(font, table(font, b"hhea")? + 34)?);
    number(font, table(font, b"hmtx")? + 4 * glyph.min(metrics.checked_sub(1)?))
}

/// The glyph of a character, from the first subtable of `cmap`, which is of format 4; none for a missing one.
fn glyph(font: &[u8], code: u16) -> Option<u16> {
    let cmap = table(font, b"cmap")?;
    let map = cmap + (usize::from(number(font, cmap + 8)?) << 16) + usize::from(number(font, cmap + 10)?);
    if number(font, map)? != 4 {
        return None;
    }
    let twice = usize::from(number(font, map + 6)?);
    for segment in (0..twice).step_by(2) {
        if code > number(font, map + 14 + segment)? {
            continue;
        }
        let start = number(font, map + 16 + twice + segment)?;
        if code < start {
            return None;
        }
        let delta = number(font, map + 16 + 2 * twice + segment)?;
        let place = map + 16 + 3 * twice + segment;
        let offset = usize::from(number(font, place)?);
        let glyph = match offset {
            0 => code.wrapping_add(delta),
            _ => number(font, place + offset + 2 * usize::from(code - start))?.wrapping_add(delta),
        };
        return (glyph != 0).then_some(glyph);
    }
    None
}

/// Where a table begins.
fn table(font: &[u8], name: &[u8; 4]) -> Option<usize> {
    let count = usize::from(number(font, 4)?);
    let record = (0..count).map(|index| 12 + 16 * index).find(|at| font.get(*at..at + 4) == Some(name))?;
    Some((usize::from(number(font, record + 8)?) << 16) + usize::from(number(font, record + 10)?))
}

fn number(font: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*font.get(at)?, *font.get(at + 1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // An em is 2048 units; `W` is the widest letter, `i` and `l` the narrowest.
        assert!(text_width("WWWW", 20) > 2 * text_width("iill", 20));
        // Whole pixels are rounded up once for the whole text.
        assert!((0..4).contains(&(4 * text_width("a", 124) - text_width("aaaa", 124))));
        assert_eq!(text_width("", 14), 0);
        for c in "aé ñ→…·×–└".chars() {
            assert!(found_advance(FONT, c).is_some_and(|width| (300..2300).contains(&width)), "{c}");
        }
    }

    #[test]
    fn a_font_that_is_none_has_no_widths_and_a_missing_letter_is_an_em() {
        assert_eq!(found_advance(b"no font", 'a'), None);
        assert_eq!(advance(FONT, '漢'), 2048);
    }
}
