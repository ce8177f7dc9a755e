//! Values from bytes.

/// Bytes that run out as zeros.
#[derive(Debug)]
pub struct Input<'d> {
    data: &'d [u8],
}

impl<'d> Input<'d> {
    /// From the first on.
    pub fn new(data: &'d [u8]) -> Self {
        Self { data }
    }
    /// Whether none are left.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
    /// Takes a byte.
    pub fn byte(&mut self) -> u8 {
        let first = self.data.first().copied().unwrap_or(0);
        self.data = self.data.get(1..).unwrap_or(&[]);
        first
    }
    /// Two.
    pub fn word(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }
    /// Four.
    pub fn long(&mut self) -> u32 {
        u32::from(self.word()) << 16 | u32::from(self.word())
    }
    /// Eight.
    pub fn wide(&mut self) -> u64 {
        u64::from(self.long()) << 32 | u64::from(self.long())
    }
    /// Takes `n` bytes, or all that are left.
    pub fn take(&mut self, n: usize) -> &'d [u8] {
        let (taken, left) = self.data.split_at(n.min(self.data.len()));
        self.data = left;
        taken
    }
    /// Picks a choice.
    pub fn one<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[usize::from(self.byte()) % choices.len()]
    }
}

/// The text with which the bytes begin.
pub fn text_of(data: &[u8]) -> &str {
    let valid = std::str::from_utf8(data).map_or_else(|error| error.valid_up_to(), str::len);
    std::str::from_utf8(&data[..valid]).unwrap_or_default()
}
