//! Gives the engine a name that changes with its code: results of different engines must not mix unnoticed. And takes the examples in, so that
//! they are there wherever the extension is installed.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders on which what a run finds depends.
const ENGINE: [&str; 12] = [
    "access/src",
    "app/src",
    "core/src",
    "impair/src",
    "net/src",
    "python/src/plugins",
    "qdisc/src",
    "quic/src",
    "scenario/src",
    "sim/src",
    "transport/src",
    "wire/src",
];

fn main() -> io::Result<()> {
    let crates = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("..");
    let mut hash = Hash::new();
    for name in ENGINE {
        let sources = crates.join(name);
        println!("cargo::rerun-if-changed={}", sources.display());
        for file in files(&sources)? {
            // Tests decide nothing; line ends depend on how the code was fetched.
            let place =
                file.strip_prefix(&crates).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
            if !place.contains("/tests/") && !place.ends_with("/tests.rs") {
                hash.add(place.as_bytes());
                hash.add(fs::read_to_string(&file)?.replace("\r\n", "\n").as_bytes());
            }
        }
    }
    println!("cargo::rustc-env=TAILRACE_ENGINE={}", hash.text());
    let out = Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("examples.rs");
    fs::write(out, examples(&crates.join(".."))?)
}

/// Folder of the how-to pages, whose scenarios stand in the text: a name in a line of its own, then a block of TOML.
const HOWTO: &str = "docs/howto";
/// Folders of scenarios, and what of them is taken.
const EXAMPLES: [&str; 2] = ["scenarios", "papers"];
const TAKEN: [&str; 2] = ["toml", "trace"];

/// A list of all examples: names below the repository, and contents.
fn examples(root: &Path) -> io::Result<String> {
    let mut list = String::from("&[\n");
    for name in EXAMPLES {
        let folder = root.join(name).canonicalize()?;
        println!("cargo::rerun-if-changed={}", folder.display());
        for file in files(&folder)? {
            let place =
                file.strip_prefix(&folder).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
            if TAKEN.iter().any(|kind| file.extension().is_some_and(|e| e == *kind)) {
                list.push_str(&format!("({:?}, include_bytes!({:?})),\n", format!("{name}/{place}"), file));
            }
        }
    }
    let folder = root.join(HOWTO).canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    for page in files(&folder)?.iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
        for (name, text) in scenarios_of(&fs::read_to_string(page)?.replace("\r\n", "\n")) {
            list.push_str(&format!("({:?}, {:?}.as_bytes()),\n", format!("howto/{name}"), text));
        }
    }
    list.push_str("]\n");
    Ok(list)
}

/// Scenarios of a page: files with `name`, which a study has and a fragment lacks.
fn scenarios_of(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("`:\n\n```toml\n") {
        let Some((text, next)) = after.split_once("\n```") else { break };
        let name = before.rsplit_once("\n`").map_or("", |(_, name)| name);
        if name.ends_with(".toml") && !name.contains('\n') && text.lines().any(|l| l.starts_with("name = ")) {
            found.push((name.to_owned(), format!("{text}\n")));
        }
        rest = next;
    }
    found
}

/// All files below a folder, in an order that does not depend on the file system.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        if entry.is_dir() { found.extend(files(&entry)?) } else { found.push(entry) }
    }
    Ok(found)
}

/// FNV-1a, 64 bits.
struct Hash(u64);

impl Hash {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}
