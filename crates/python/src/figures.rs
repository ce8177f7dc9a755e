//! The numbers of a run's summary as a table: a row each, so that thousands of runs can be put together as columns.

use serde_json::Value;
use std::collections::BTreeMap;

/// What a summary has figures of, and what the table calls one of each.
const SECTIONS: [(&str, &str); 3] = [("groups", "group"), ("queues", "queue"), ("connections", "connection")];

/// The columns of the table. Words are numbered; 0 is the empty one, where there is none.
pub(crate) struct Figures {
    pub(crate) window: Words,
    pub(crate) of: Words,
    pub(crate) name: Words,
    pub(crate) figure: Words,
    pub(crate) value: Vec<f64>,
    pub(crate) text: Words,
}

/// A column of words: each once, and for each row its number.
pub(crate) struct Words {
    pub(crate) rows: Vec<u32>,
    pub(crate) words: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Words {
    fn new() -> Self {
        Self { rows: Vec::new(), words: vec![String::new()], numbers: BTreeMap::from([(String::new(), 0)]) }
    }

    fn push(&mut self, word: &str) {
        let next = self.words.len() as u32;
        let number = self.numbers.get(word).copied().unwrap_or_else(|| {
            self.numbers.insert(word.into(), next);
            self.words.push(word.into());
            next
        });
        self.rows.push(number);
    }
}

impl Figures {
    /// Of a summary as JSON text; empty where it is none.
    pub(crate) fn of_summary(text: &str) -> Self {
        let mut figures = Self {
            window: Words::new(),
            of: Words::new(),
            name: Words::new(),
            figure: Words::new(),
            value: Vec::new(),
            text: Words::new(),
        };
        let summary: Value = serde_json::from_str(text).unwrap_or_default();
        figures.entry("", &summary);
        for (window, entry) in summary["windows"].as_object().into_iter().flatten() {
            figures.entry(window, entry);
        }
        figures
    }

    /// The whole run, or a window of it.
    fn entry(&mut self, window: &str, entry: &Value) {
        for (section, of) in SECTIONS {
            for (name, tree) in entry[section].as_object().into_iter().flatten() {
                let before = self.value.len();
                self.leaves(tree, &mut String::new());
                for _ in before..self.value.len() {
                    self.window.push(window);
                    self.of.push(of);
                    self.name.push(name);
                }
            }
        }
    }

    /// Numbers and words with their paths, such as `goodput_bps.sum`; lists count from 0.
    fn leaves(&mut self, tree: &Value, path: &mut String) {
        match tree {
            Value::Object(table) => table.iter().for_each(|(key, inner)| self.below(inner, path, key)),
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(i, inner)| self.below(inner, path, &i.to_string()));
            }
            Value::String(word) => self.leaf(path, f64::NAN, word),
            Value::Bool(truth) => self.leaf(path, f64::from(u8::from(*truth)), ""),
            Value::Number(number) => self.leaf(path, number.as_f64().unwrap_or(f64::NAN), ""),
            Value::Null => self.leaf(path, f64::NAN, ""),
        }
    }

    fn below(&mut self, tree: &Value, path: &mut String, key: &str) {
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(key);
        self.leaves(tree, path);
        path.truncate(length);
    }

    fn leaf(&mut self, path: &str, value: f64, text: &str) {
        self.figure.push(path);
        self.value.push(value);
        self.text.push(text);
    }
}
