//! A part of something long, as much as one answer takes.

use serde_json::Value;

/// How much one answer holds, in bytes or a little more: a client takes it at once, and asks for the rest.
const ROOM: usize = 4 << 20;

/// Items for one answer. The first one is taken however large it is.
pub(super) struct Page {
    items: Vec<Value>,
    limit: usize,
    room: usize,
    /// Whether something was left out.
    more: bool,
}

impl Page {
    /// Room for so many items.
    pub fn of(limit: usize) -> Self {
        Self { items: Vec::new(), limit, room: ROOM, more: false }
    }

    /// How many items it takes at most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Whether there is room for nothing more; whoever asks has more.
    pub fn is_full(&mut self) -> bool {
        self.more |= self.items.len() >= self.limit || self.room == 0;
        self.more
    }

    /// Takes an item, unless it does not fit.
    pub fn add(&mut self, item: Value) {
        let weight = weight(&item);
        if self.is_full() || (weight > self.room && !self.items.is_empty()) {
            (self.room, self.more) = (0, true);
            return;
        }
        self.room = self.room.saturating_sub(weight);
        self.items.push(item);
    }

    /// The items, and whether there are more.
    pub fn end(self) -> (Vec<Value>, bool) {
        (self.items, self.more)
    }
}

/// How long a value is when written, about.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        Value::Array(items) => items.iter().map(weight).sum::<usize>() + 3,
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| name.len() + 4 + weight(field)).sum::<usize>() + 3
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_as_fits_is_taken_and_one_thing_always() {
        let check = |limit: usize, sizes: &[usize], taken: usize, more: bool| {
            let mut page = Page::of(limit);
            for size in sizes {
                if page.is_full() {
                    break;
                }
                page.add("x".repeat(*size).into());
            }
            let (items, left) = page.end();
            assert_eq!((items.len(), left), (taken, more), "{limit} {sizes:?}");
        };
        check(2, &[], 0, false);
        check(0, &[], 0, false);
        check(0, &[1], 0, true);
        check(2, &[1, 1], 2, false);
        check(2, &[1, 1, 1], 2, true);
        check(9, &[2 * ROOM], 1, false);
        check(9, &[2 * ROOM, 1], 1, true);
        check(9, &[1, 2 * ROOM], 1, true);
        check(9, &[ROOM / 2, ROOM / 3, ROOM / 2, 1], 2, true);
    }
}
