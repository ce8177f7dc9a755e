//! Functions that JavaScript calls. Numbers are passed by value; texts lie in memory: the caller asks for room, writes its
//! text there, calls, and reads the answer. There is one run at a time; several runs need several instances.
//!
//! A panic is a trap, after which an instance is of no use but for `tailrace_text`: it has the panic's message.
#![expect(unsafe_code, reason = "names that JavaScript can call; nothing here does anything unsafe")]

use crate::session::Session;
use serde_json::json;
use std::cell::RefCell;

thread_local! {
    /// Text of the caller.
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Text for the caller.
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// An answer of functions that can fail: the text says why.
const FAILED: u32 = 2;
const NO_SESSION: &str = "nothing is open";

fn say(text: impl Into<String>) {
    TEXT.with_borrow_mut(|t| *t = text.into());
}

fn fail(why: impl Into<String>) -> u32 {
    say(why);
    FAILED
}

/// The text in the room that was asked for.
fn input() -> String {
    INPUT.with_borrow(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Does something with the run that is open; 0, or [`FAILED`].
fn with(act: impl FnOnce(&mut Session) -> Result<String, String>) -> u32 {
    let done = SESSION.with_borrow_mut(|s| s.as_mut().map_or_else(|| Err(NO_SESSION.into()), act));
    match done {
        Ok(text) => {
            say(text);
            0
        }
        Err(why) => fail(why),
    }
}

/// To be called once: a panic is then told by its text.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_init() {
    std::panic::set_hook(Box::new(|panic| say(panic.to_string())));
}

/// Room for a text of so many bytes in UTF-8, until the next such call.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_room(bytes: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(bytes, 0);
        input.as_mut_ptr()
    })
}

/// Where the text lies that the last call had to say.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_text() -> *const u8 {
    TEXT.with_borrow(|text| text.as_ptr())
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_text_len() -> usize {
    TEXT.with_borrow(String::len)
}

/// Opens the run that the text in the room asks for, in the place of the one before: 0; or 2, and errors.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_open() -> u32 {
    SESSION.with_borrow_mut(|s| *s = None);
    match Session::open(&input()) {
        Ok((session, about)) => {
            SESSION.with_borrow_mut(|s| *s = Some(session));
            say(about.to_string());
            0
        }
        Err(errors) => fail(errors.to_string()),
    }
}

/// Reads the scenario in the room and leaves the run alone that is open: 0, and warnings; or 2, and errors.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_check() -> u32 {
    match Session::check(&input()) {
        Ok(about) => {
            say(about.to_string());
            0
        }
        Err(errors) => fail(errors.to_string()),
    }
}

/// Goes on to so many seconds: 0; 1 at the end of the run; or 2, and why.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_step(until_s: f64) -> u32 {
    let mut ended = false;
    let failed = with(|s| {
        ended = s.step(until_s)?;
        Ok(String::new())
    });
    failed.max(u32::from(ended))
}

/// Says what goes on.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_snapshot() -> u32 {
    with(|s| Ok(s.snapshot().to_string()))
}

/// Says the summary so far.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_so_far() -> u32 {
    with(|s| Ok(s.so_far()))
}

/// Says the rows that have come since the last time, of the tables and columns that the text in the room names; all, should it
/// be empty.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_drain() -> u32 {
    with(|s| Ok(s.drain(&input()).to_string()))
}

/// Changes a link; the text in the room is the kind of change, and NaN is no value.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_change(link: u32, value: f64) -> u32 {
    let value = Some(value).filter(|v| !v.is_nan());
    with(|s| s.change(link, &input(), value).map(|()| String::new()))
}

/// Says the scenario with its changes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_resolved() -> u32 {
    with(|s| Ok(s.resolved()))
}

/// Ends the run, and says what it leaves.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tailrace_finish() -> u32 {
    match SESSION.with_borrow_mut(Option::take) {
        Some(session) => {
            say(session.finish().to_string());
            0
        }
        None => fail(json!({ "errors": NO_SESSION }).to_string()),
    }
}
