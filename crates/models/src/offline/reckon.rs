//! Arithmetic, exact: fractions of whole numbers, so that 0.1 + 0.2 is 0.3. What cannot be said exactly is marked.

use std::iter::Peekable;

/// Deeper nesting is no question but a test of the parser.
const MOST_DEPTH: usize = 64;
/// Longer sums are pasted, not asked.
const MOST_CHARACTERS: usize = 500;
/// Digits behind the point where a number has no end.
const DIGITS: usize = 10;

/// What a sum comes to, as text, if `text` is one. `None` if it is none; a number alone is none either.
pub(crate) fn reckon(text: &str) -> Option<String> {
    let sum = spelled(text)?;
    let tokens = tokens(&sum)?;
    let sums = tokens.iter().any(|token| matches!(token, Token::Sign(sign) if *sign != '(' && *sign != ')'));
    if !sums || !tokens.iter().any(|token| matches!(token, Token::Number(_))) {
        return None;
    }
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), depth: 0 };
    match parser.sum() {
        Err(Stuck::NotASum) => None,
        Err(Stuck::ByZero) => Some("Dividing by zero has no result.".to_owned()),
        Err(Stuck::TooLarge) => Some("That is too large to work out here exactly.".to_owned()),
        Ok(_) if parser.tokens.peek().is_some() => None,
        Ok(value) => Some(format!("{} {}", sum.trim(), told(value))),
    }
}

/// The text with words for signs, without the question around it.
fn spelled(text: &str) -> Option<String> {
    if text.len() > MOST_CHARACTERS {
        return None;
    }
    let lower = text.to_lowercase();
    let mut rest = lower.trim().trim_end_matches(['?', '=', '.', '!', ' ']);
    const LEADS: &[&str] = &[
        "what is",
        "what's",
        "whats",
        "how much is",
        "how much are",
        "calculate",
        "compute",
        "work out",
        "please",
        "was ist",
        "wie viel ist",
        "wieviel ist",
        "wie viel sind",
        "was sind",
        "rechne",
        "berechne",
        "was ergibt",
        "evaluate",
        "solve",
    ];
    while let Some(after) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = after.trim_start_matches([':', ' ', ',']);
    }
    let rest = rest.trim_end_matches("aus").trim();
    let mut sum = format!(" {rest} ");
    const SIGNS: &[(&str, &str)] = &[
        (" to the power of ", " ^ "),
        (" multiplied by ", " * "),
        (" divided by ", " / "),
        (" geteilt durch ", " / "),
        (" percent of ", " % * "),
        (" prozent von ", " % * "),
        ("% of ", "% * "),
        ("% von ", "% * "),
        (" percent ", " % "),
        (" prozent ", " % "),
        (" hoch ", " ^ "),
        (" plus ", " + "),
        (" minus ", " - "),
        (" times ", " * "),
        (" mal ", " * "),
        (" durch ", " / "),
        (" over ", " / "),
        (" x ", " * "),
        ("×", "*"),
        ("·", "*"),
        ("÷", "/"),
        ("−", "-"),
        ("**", "^"),
    ];
    for (word, sign) in SIGNS {
        sum = sum.replace(word, sign);
    }
    let written: Vec<String> =
        sum.split(' ').map(|word| number_word(word).unwrap_or_else(|| word.to_owned())).collect();
    Some(written.join(" ").split_whitespace().collect::<Vec<_>>().join(" "))
}

fn number_word(word: &str) -> Option<String> {
    const WORDS: &[(&str, &str, u32)] = &[
        ("zero", "null", 0),
        ("one", "eins", 1),
        ("two", "zwei", 2),
        ("three", "drei", 3),
        ("four", "vier", 4),
        ("five", "fünf", 5),
        ("six", "sechs", 6),
        ("seven", "sieben", 7),
        ("eight", "acht", 8),
        ("nine", "neun", 9),
        ("ten", "zehn", 10),
        ("eleven", "elf", 11),
        ("twelve", "zwölf", 12),
        ("fifteen", "fünfzehn", 15),
        ("twenty", "zwanzig", 20),
        ("thirty", "dreißig", 30),
        ("forty", "vierzig", 40),
        ("fifty", "fünfzig", 50),
        ("sixty", "sechzig", 60),
        ("seventy", "siebzig", 70),
        ("eighty", "achtzig", 80),
        ("ninety", "neunzig", 90),
        ("hundred", "hundert", 100),
        ("thousand", "tausend", 1000),
    ];
    let found = WORDS.iter().find(|(english, german, _)| word == *english || word == *german);
    found.map(|(_, _, number)| number.to_string())
}

#[derive(Clone, Copy)]
enum Token {
    Number(Fraction),
    Sign(char),
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.peek().copied() {
        if letter.is_ascii_digit() || letter == '.' {
            let mut digits = String::new();
            while let Some(digit) =
                letters.next_if(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | '\''))
            {
                digits.push(digit);
            }
            tokens.push(Token::Number(Fraction::read(&digits)?));
            continue;
        }
        letters.next();
        match letter {
            ' ' => {}
            '+' | '-' | '*' | '/' | '^' | '%' | '(' | ')' => tokens.push(Token::Sign(letter)),
            _ => return None,
        }
    }
    Some(tokens)
}

enum Stuck {
    NotASum,
    ByZero,
    TooLarge,
}

struct Parser<T: Iterator<Item = Token>> {
    tokens: Peekable<T>,
    depth: usize,
}

impl<T: Iterator<Item = Token>> Parser<T> {
    fn sum(&mut self) -> Result<Fraction, Stuck> {
        let mut value = self.product()?;
        while let Some(sign) = self.sign(&['+', '-']) {
            let other = self.product()?;
            let other = if sign == '-' { other.negated() } else { other };
            value = value.plus(other).ok_or(Stuck::TooLarge)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Fraction, Stuck> {
        let mut value = self.power()?;
        while let Some(sign) = self.sign(&['*', '/']) {
            let other = self.power()?;
            let other = if sign == '/' { other.inverted().ok_or(Stuck::ByZero)? } else { other };
            value = value.times(other).ok_or(Stuck::TooLarge)?;
        }
        Ok(value)
    }

    /// Powers bind to the right and before a sign: -2^2 is -4.
    fn power(&mut self) -> Result<Fraction, Stuck> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Stuck::NotASum);
        }
        if self.sign(&['-']).is_some() {
            let value = self.power()?.negated();
            self.depth -= 1;
            return Ok(value);
        }
        let mut value = self.single()?;
        while self.sign(&['%']).is_some() {
            value = value.times(Fraction { over: 1, under: 100 }).ok_or(Stuck::TooLarge)?;
        }
        if self.sign(&['^']).is_some() {
            let exponent = self.power()?;
            value = value.to_the(exponent).ok_or(Stuck::TooLarge)?;
        }
        self.depth -= 1;
        Ok(value)
    }

    fn single(&mut self) -> Result<Fraction, Stuck> {
        match self.tokens.next() {
            Some(Token::Number(number)) => Ok(number),
            Some(Token::Sign('(')) => {
                let value = self.sum()?;
                self.sign(&[')']).map(|_| value).ok_or(Stuck::NotASum)
            }
            _ => Err(Stuck::NotASum),
        }
    }

    fn sign(&mut self, signs: &[char]) -> Option<char> {
        let here = self.tokens.next_if(|token| matches!(token, Token::Sign(sign) if signs.contains(sign)))?;
        if let Token::Sign(sign) = here { Some(sign) } else { None }
    }
}

/// A fraction in lowest terms; what is under the line is positive.
#[derive(Clone, Copy)]
struct Fraction {
    over: i128,
    under: i128,
}

impl Fraction {
    fn new(over: i128, under: i128) -> Option<Self> {
        let common = divisor(over.checked_abs()?, under.checked_abs()?).max(1);
        let sign = if under < 0 { -1 } else { 1 };
        Some(Self { over: sign * over / common, under: sign * under / common })
    }

    /// `1,234.5` and `1.234,5`: the last of both signs is the point, unless three digits follow a comma.
    fn read(digits: &str) -> Option<Self> {
        let digits: String = digits.chars().filter(|c| !matches!(c, '_' | '\'')).collect();
        let digits = digits.trim_end_matches(['.', ',']);
        let Some(point) = digits.rfind(['.', ',']) else { return Self::new(digits.parse().ok()?, 1) };
        let grouped = digits.get(point..)?.starts_with(',') && digits.len() - point == 4;
        let repeated = digits.matches(digits.get(point..=point)?).count() > 1;
        let (whole, parts) =
            if grouped || repeated { (digits, "") } else { (digits.get(..point)?, digits.get(point + 1..)?) };
        let number: String = whole.chars().filter(char::is_ascii_digit).chain(parts.chars()).collect();
        Self::new(number.parse().ok()?, 10_i128.checked_pow(u32::try_from(parts.len()).ok()?)?)
    }

    fn plus(self, other: Self) -> Option<Self> {
        let over = self.over.checked_mul(other.under)?.checked_add(other.over.checked_mul(self.under)?)?;
        Self::new(over, self.under.checked_mul(other.under)?)
    }

    fn times(self, other: Self) -> Option<Self> {
        Self::new(self.over.checked_mul(other.over)?, self.under.checked_mul(other.under)?)
    }

    fn negated(self) -> Self {
        Self { over: -self.over, ..self }
    }

    fn inverted(self) -> Option<Self> {
        if self.over == 0 { None } else { Self::new(self.under, self.over) }
    }

    fn to_the(self, exponent: Self) -> Option<Self> {
        let power = u32::try_from(exponent.over.unsigned_abs()).ok().filter(|_| exponent.under == 1)?;
        let raised = Self { over: self.over.checked_pow(power)?, under: self.under.checked_pow(power)? };
        if exponent.over < 0 { raised.inverted() } else { Some(raised) }
    }
}

fn divisor(one: i128, two: i128) -> i128 {
    if two == 0 { one } else { divisor(two, one % two) }
}

/// `= 0.125`, or `≈ 0.3333333333` where the digits have no end.
fn told(value: Fraction) -> String {
    let sign = if value.over < 0 { "-" } else { "" };
    let over = value.over.unsigned_abs();
    let under = value.under.unsigned_abs();
    let (whole, mut left) = (over / under, over % under);
    let mut digits = String::new();
    while left > 0 && digits.len() < DIGITS {
        let Some(tenfold) = left.checked_mul(10) else { break };
        digits.push_str(&(tenfold / under).to_string());
        left = tenfold % under;
    }
    let digits = if left > 0 { digits.as_str() } else { digits.trim_end_matches('0') };
    let point = if digits.is_empty() { "" } else { "." };
    format!("{} {sign}{whole}{point}{digits}", if left > 0 { "≈" } else { "=" })
}
