//! Columns of words.

use std::collections::BTreeMap;

/// A column of words: each once, and for each row its number. 0 is the empty one, where there is none.
pub(crate) struct WordColumn {
    pub(crate) rows: Vec<u32>,
    pub(crate) words: Vec<String>,
    numbers: BTreeMap<String, u32>,
    /// After each word the one that came next the last time: runs of a study have the same words in the same order.
    following: Vec<u32>,
    last: u32,
}

impl WordColumn {
    pub(crate) fn new() -> Self {
        let numbers = BTreeMap::from([(String::new(), 0)]);
        Self { rows: Vec::new(), words: vec![String::new()], numbers, following: vec![0], last: 0 }
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, word: &str) {
        let number = self.number(word);
        self.rows.push(number);
    }

    /// Appends rows of the same word up to this number of rows.
    pub(crate) fn fill(&mut self, rows: usize, word: &str) {
        let number = self.number(word);
        self.rows.resize(rows, number);
    }

    /// Code of a word.
    pub(crate) fn number(&mut self, word: &str) -> u32 {
        if word.is_empty() {
            return 0;
        }
        let guess = self.following[self.last as usize];
        let number = if self.words[guess as usize] == word { guess } else { self.look_up(word) };
        self.following[self.last as usize] = number;
        self.last = number;
        number
    }

    fn look_up(&mut self, word: &str) -> u32 {
        let next = self.words.len() as u32;
        self.numbers.get(word).copied().unwrap_or_else(|| {
            self.numbers.insert(word.into(), next);
            self.words.push(word.into());
            self.following.push(0);
            next
        })
    }
}
