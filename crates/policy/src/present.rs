//! Text for an approval screen: whatever could deceive the eye is spelled out, and said in plain words. How a
//! screen looks is for the clients.

/// A text made safe to show, and what was odd about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presented {
    /// The text. Every odd character is written as `\u{…}`; undoing that gives the original back exactly.
    pub text: String,
    /// What was found, in plain words; empty when nothing was.
    pub flags: Vec<String>,
}

/// What can be odd about a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Oddity {
    Control,
    Direction,
    Invisible,
    Space,
    Lookalike,
    Unassigned,
}

impl Oddity {
    fn in_words(self) -> &'static str {
        match self {
            Oddity::Control => "it contains control characters",
            Oddity::Direction => "it contains characters that change the direction of the text",
            Oddity::Invisible => "it contains characters that cannot be seen",
            Oddity::Space => "it contains blanks that are not ordinary ones",
            Oddity::Lookalike => "it contains letters of another script that look like ordinary ones",
            Oddity::Unassigned => "it contains characters without a fixed meaning",
        }
    }
}

/// Ranges of odd characters.
const ODD: &[(u32, u32, Oddity)] = &[
    (0x00, 0x09, Oddity::Control),
    (0x0B, 0x1F, Oddity::Control),
    (0x7F, 0x9F, Oddity::Control),
    (0xA0, 0xA0, Oddity::Space),
    (0xAD, 0xAD, Oddity::Invisible),
    (0x034F, 0x034F, Oddity::Invisible),
    (0x0334, 0x0338, Oddity::Lookalike),
    (0x061C, 0x061C, Oddity::Direction),
    (0x115F, 0x1160, Oddity::Invisible),
    (0x1680, 0x1680, Oddity::Space),
    (0x17B4, 0x17B5, Oddity::Invisible),
    (0x180B, 0x180F, Oddity::Invisible),
    (0x2000, 0x200A, Oddity::Space),
    (0x200B, 0x200D, Oddity::Invisible),
    (0x200E, 0x200F, Oddity::Direction),
    (0x2010, 0x2015, Oddity::Lookalike),
    (0x2018, 0x201F, Oddity::Lookalike),
    (0x2024, 0x2024, Oddity::Lookalike),
    (0x2028, 0x2029, Oddity::Control),
    (0x202A, 0x202E, Oddity::Direction),
    (0x202F, 0x202F, Oddity::Space),
    (0x2044, 0x2044, Oddity::Lookalike),
    (0x205F, 0x205F, Oddity::Space),
    (0x2060, 0x2065, Oddity::Invisible),
    (0x2066, 0x206F, Oddity::Direction),
    (0x20D0, 0x20F0, Oddity::Lookalike),
    (0x2212, 0x2212, Oddity::Lookalike),
    (0x2215, 0x2217, Oddity::Lookalike),
    (0x2223, 0x2223, Oddity::Lookalike),
    (0x2800, 0x2800, Oddity::Invisible),
    (0x3000, 0x3000, Oddity::Space),
    (0x3164, 0x3164, Oddity::Invisible),
    (0xE000, 0xF8FF, Oddity::Unassigned),
    (0xFE00, 0xFE0F, Oddity::Invisible),
    (0xFEFF, 0xFEFF, Oddity::Invisible),
    (0xFF01, 0xFF5E, Oddity::Lookalike),
    (0xFFA0, 0xFFA0, Oddity::Invisible),
    (0xFFF0, 0xFFFF, Oddity::Unassigned),
    (0x1D400, 0x1D7FF, Oddity::Lookalike),
    (0xE0000, 0x10FFFF, Oddity::Unassigned),
];

/// Letters of other scripts that pass for Latin ones.
const LOOKALIKES: &str = "аеорсухіјѕһԁԛԝӏѵԍɡıȷАВЕКМНОРСТУХІЈЅԌԚԜҮΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαινρτυκγσωϲϳⅼⅰⅴⅹⅽⅾⅿօոսհցյՏᴏᴄᴠᴡᴢꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ";

/// Makes a text safe to show.
pub fn present(text: &str) -> Presented {
    let deceptive = deceptive_words(text);
    let mut shown = String::with_capacity(text.len());
    let mut found: Vec<Oddity> = Vec::new();
    for (at, c) in text.char_indices() {
        let in_deceptive_word = deceptive.iter().any(|(start, end)| (*start..*end).contains(&at));
        let oddity = oddity_of(c)
            .or((in_deceptive_word && !c.is_ascii() && c.is_alphabetic()).then_some(Oddity::Lookalike));
        // Only a backslash that could be mistaken for one of ours is spelled out.
        let mimics = c == '\\' && text.get(at + 1..).is_some_and(|rest| rest.starts_with("u{"));
        match oddity {
            None if !mimics => shown.push(c),
            _ => shown.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        }
        found.extend(oddity);
    }
    found.sort();
    found.dedup();
    let mut flags: Vec<String> = found.into_iter().map(|oddity| oddity.in_words().to_owned()).collect();
    if text.trim_end_matches('\n').contains('\n') {
        flags.push("it has several lines".into());
    }
    if text.contains(&" ".repeat(WIDE_GAP)) {
        flags.push("it has a wide gap that could push a part out of sight".into());
    }
    Presented { text: shown, flags }
}

/// A run of blanks this long can push the rest of a line off a narrow screen.
const WIDE_GAP: usize = 20;

fn oddity_of(c: char) -> Option<Oddity> {
    let code = u32::from(c);
    ODD.iter().find(|(first, last, _)| (*first..=*last).contains(&code)).map(|(_, _, oddity)| *oddity)
}

/// The words, as byte ranges, that mix Latin with letters that look like it, or consist only of such letters.
fn deceptive_words(text: &str) -> Vec<(usize, usize)> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut words = Vec::new();
    let mut start = 0;
    let boundaries =
        text.char_indices().filter(|(_, c)| !c.is_alphanumeric()).map(|(at, c)| (at, at + c.len_utf8()));
    for (end, next) in boundaries.chain(std::iter::once((text.len(), text.len()))) {
        let word = text.get(start..end).unwrap_or_default();
        let has_latin = word.chars().any(|c| c.is_ascii_alphabetic());
        let has_lookalike = word.chars().any(|c| LOOKALIKES.contains(c));
        let only_lookalikes = word.chars().all(|c| LOOKALIKES.contains(c) || c.is_ascii_digit());
        let mixes = has_latin && word.chars().any(is_other_script);
        if mixes || (has_lookalike && (has_latin || only_lookalikes)) {
            words.push((start, end));
        }
        start = next;
    }
    words
}

/// Greek, Cyrillic, Armenian, Cherokee, Lisu: scripts whose letters pass for Latin ones.
fn is_other_script(c: char) -> bool {
    matches!(u32::from(c), 0x0370..=0x03FF | 0x0400..=0x052F | 0x0530..=0x058F | 0x13A0..=0x13FF | 0xA4D0..=0xA4FF)
}
