//! Columns of words.

use std::collections::BTreeMap;

/// A column of words: each once, and for each row its number. 0 is the empty one, where there is none.
pub(crate) struct Words {
    pub(crate) rows: Vec<u32>,
    pub(crate) words: Vec<String>,
    numbers: BTreeMap<String, u32>,
    /// What comes next if it goes on as before: runs of a study have the same words in the same order.
    guess: usize,
}

impl Words {
    pub(crate) fn new() -> Self {
        let numbers = BTreeMap::from([(String::new(), 0)]);
        Self { rows: Vec::new(), words: vec![String::new()], numbers, guess: 0 }
    }

    /// One more row.
    pub(crate) fn push(&mut self, word: &str) {
        let number = self.number(word);
        self.rows.push(number);
    }

    /// As many rows of the same word as there are missing.
    pub(crate) fn fill(&mut self, rows: usize, word: &str) {
        let number = self.number(word);
        self.rows.resize(rows, number);
    }

    /// What stands for a word.
    pub(crate) fn number(&mut self, word: &str) -> u32 {
        let guessed = self.words.get(self.guess).is_some_and(|guess| guess == word);
        let number = if guessed { self.guess as u32 } else { self.look_up(word) };
        self.guess = number as usize + 1;
        number
    }

    fn look_up(&mut self, word: &str) -> u32 {
        let next = self.words.len() as u32;
        self.numbers.get(word).copied().unwrap_or_else(|| {
            self.numbers.insert(word.into(), next);
            self.words.push(word.into());
            next
        })
    }
}
