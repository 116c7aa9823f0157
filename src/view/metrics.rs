//! How wide a text will be in a picture, without a font at hand.
//!
//! The table holds the advance widths of DejaVu Sans, the widest of the fonts in the picture's font list: what fits
//! by it fits in every other one (Arial, Helvetica, Segoe UI and Roboto are about a tenth narrower).

use unicode_width::UnicodeWidthChar;

/// Advance widths of `' '..='~'`, in thousandths of the font size.
const ASCII: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318,
    337, // space to /
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, // 0 to ?
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787, // @ to O
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, // P to _
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, // ` to o
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838, // p to ~
];

/// How much wider bold is, at most on average.
const BOLD: f64 = 1.13;

/// The width of a text in a sans-serif font of this size.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(char_width).sum::<f64>() * size
}

/// The width of a text in the bold cut.
pub fn bold_width(text: &str, size: f64) -> f64 {
    width(text, size) * BOLD
}

/// The width of a character, in font sizes.
fn char_width(c: char) -> f64 {
    let ascii = u32::from(c)
        .checked_sub(32)
        .and_then(|i| ASCII.get(i as usize));
    match ascii {
        Some(&w) => f64::from(w) / 1000.0,
        // Letters outside ASCII differ; these are the wide ones of each kind.
        None => match c.width().unwrap_or(0) {
            0 => 0.0,
            1 => 0.95,
            _ => 1.4,
        },
    }
}

/// The text, or its beginning and `…` where it is wider than `limit`.
pub fn elide(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let room = limit - width("…", size);
    let mut used = 0.0;
    let mut short: String = text
        .chars()
        .take_while(|&c| {
            used += char_width(c) * size;
            used <= room
        })
        .collect();
    short.push('…');
    short
}

/// Words in lines, with a comma after each but the last: as few lines as `limit` allows, and those about equally
/// long.
pub fn balanced_lines(words: &[String], size: f64, limit: f64) -> Vec<String> {
    let fewest = lines(words, size, limit).len();
    // The narrowest limit that needs no more lines. Sixteen halvings leave less than a pixel.
    let (mut low, mut high) = (0.0, limit);
    for _ in 0..16 {
        let middle = (low + high) / 2.0;
        if lines(words, size, middle).len() <= fewest {
            high = middle;
        } else {
            low = middle;
        }
    }
    lines(words, size, high)
}

/// Words in lines, each filled up to `limit`; a word wider than that has a line of its own.
fn lines(words: &[String], size: f64, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0.0;
    for (i, word) in words.iter().enumerate() {
        let word = if i + 1 < words.len() {
            format!("{word},")
        } else {
            word.clone()
        };
        let wide = width(&word, size);
        let joined = used + width(" ", size) + wide;
        match lines.last_mut() {
            Some(line) if joined <= limit => {
                line.push(' ');
                line.push_str(&word);
                used = joined;
            }
            _ => {
                lines.push(word);
                used = wide;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_width_is_the_sum_of_its_characters() {
        // DejaVu Sans: i = 0.278, W = 0.989, ~ = 0.838.
        assert!((width("iW~", 10.0) - 21.05).abs() < 1e-9);
        assert!(width("é", 10.0) > width("e", 10.0));
        assert!(width("門", 10.0) > width("M", 10.0));
        assert_eq!(width("", 10.0), 0.0);
    }

    #[test]
    fn lines_are_balanced_and_keep_every_word() {
        let text = words("aaaa bbbb cccc dddd eeee");
        let limit = width("aaaa, bbbb, cccc, dddd,", 12.0) + 1.0;
        assert_eq!(
            balanced_lines(&text, 12.0, limit),
            ["aaaa, bbbb,", "cccc, dddd, eeee"]
        );
        assert_eq!(balanced_lines(&[], 12.0, limit), Vec::<String>::new());
    }

    #[test]
    fn a_word_too_wide_has_its_own_line() {
        let text = words("a wwwwwwwwwwwwwwwwwwww b");
        assert_eq!(
            balanced_lines(&text, 12.0, 30.0),
            ["a,", "wwwwwwwwwwwwwwwwwwww,", "b"]
        );
    }

    #[test]
    fn a_long_text_is_cut_within_the_limit() {
        let long = "w".repeat(1000);
        let short = elide(&long, 12.0, 100.0);
        assert!(short.ends_with('…') && width(&short, 12.0) <= 100.0);
        assert_eq!(elide("short", 12.0, 100.0), "short");
    }
}
