//! Confinement of a kernel and its programs to the files that they need, by Landlock, and without system calls that would go around it.
//!
//! A guest's root file system is the machine's (hostfs), opened with the user's rights; the guest's root may mount it again, writable.
//! Landlock holds for the kernel's process whatever the guest does. It knows nothing of modes, owners, times and attributes of files,
//! and before Linux 6.2 nothing of truncation: seccomp refuses these.

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated,
    RulesetCreatedAttr as _, RulesetStatus, Scope, make_bitflags,
};
use rustix::io::Errno;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use tailrace_agent::visible::SYSTEM_FOLDERS;

/// System calls by number, each with the rules one of which it must match to be refused; without rules it is always refused.
pub(crate) type Refused = BTreeMap<i64, Vec<SeccompRule>>;

/// Link in the guest's folder to the folder in memory that has the guest's memory.
const MEMORY: &str = "memory";

/// Folder of the file system in memory.
const SHARED_MEMORY: &str = "/dev/shm";

/// Folder of the kernel's own files, below the one that it takes for its home.
const KERNEL_FILES: &str = ".uml";

/// Files beside those of programs that a kernel reads: features of the processor.
const KERNEL_READS: [&str; 2] = ["/proc/cpuinfo", "/dev/null"];

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir | Execute});
const WRITE: BitFlags<AccessFs> =
    make_bitflags!(AccessFs::{ReadFile | ReadDir | WriteFile | Truncate | MakeReg | RemoveFile});
const MAKE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{MakeDir | MakeSock | RemoveDir});

/// Makes the folders that a kernel writes to, in the guest's folder, which is the current one. Its memory is a file in a folder of its
/// own, since others' memory lies beside it.
pub(crate) fn make_folders() -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(KERNEL_FILES)?;
    let _ = fs::remove_file(MEMORY);
    Ok(symlink(make_in_memory()?, MEMORY)?)
}

/// Makes a folder in memory that was not there.
fn make_in_memory() -> Result<PathBuf, String> {
    let mut number = 0_u32;
    loop {
        let folder = Path::new(SHARED_MEMORY).join(format!("tailrace-{}-{number}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            // Left by a launcher that was killed, in another container with this number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(format!("{}: {error}", folder.display())),
            Ok(()) => return Ok(folder),
        }
    }
}

/// Name, in the guest's folder, of the folder for its memory.
pub(crate) const fn memory() -> &'static str {
    MEMORY
}

/// Removes the folder for the guest's memory.
pub(crate) fn remove_memory() {
    if let Ok(memory) = fs::read_link(MEMORY) {
        let _ = fs::remove_dir_all(memory);
    }
}

/// Confines the calling thread and all that comes of it: it reads what programs of a machine need, the kernel and the named files, and
/// writes to the guest's folder alone.
pub(crate) fn confine(kernel: &Path, named: &[PathBuf], root: &Path) -> Result<(), Box<dyn Error>> {
    let everything = AccessFs::from_all(ABI::V10);
    let mut rules =
        Ruleset::default().handle_access(everything)?.scope(Scope::from_all(ABI::V10))?.create()?;
    let system = SYSTEM_FOLDERS.iter().map(PathBuf::from).chain(public("/etc".as_ref()));
    let kernels = KERNEL_READS.iter().map(PathBuf::from).chain([kernel.to_path_buf()]);
    for path in system.chain(kernels).chain(named.iter().cloned()) {
        rules = allow(rules, &path, READ)?;
    }
    // Names in `/etc`, so that programs can list it.
    rules = allow(rules, "/etc".as_ref(), AccessFs::ReadDir.into())?;
    rules = allow(rules, "/dev/null".as_ref(), AccessFs::WriteFile.into())?;
    rules = allow(rules, ".".as_ref(), READ | AccessFs::ResolveUnix)?;
    rules = allow(rules, root, WRITE)?;
    rules = allow(rules, KERNEL_FILES.as_ref(), WRITE | MAKE)?;
    rules = allow(rules, MEMORY.as_ref(), WRITE)?;
    if rules.restrict_self()?.ruleset == RulesetStatus::NotEnforced {
        return Err("this system has no Landlock (Linux 5.13 or newer, with landlock among its security \
                    modules), so nothing keeps the programs of a scenario from your files; where you trust \
                    them, --trust-programs runs them without"
            .into());
    }
    refuse_around()
}

/// Adds what may be done with a file, or with all below a folder. Files that are not there need no rule.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    what: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Box<dyn Error>> {
    let Ok(file) = PathFd::new(path) else { return Ok(rules) };
    let is_folder = fs::metadata(path).is_ok_and(|about| about.is_dir());
    let what = if is_folder { what } else { what & AccessFs::from_file(ABI::V10) };
    Ok(rules.add_rule(PathBeneath::new(file, what))?)
}

/// The largest parts of a folder that every user of the machine may read. Passwords, keys and rules of the administrator are
/// for some of them only, and a launcher of the administrator's could read these, too.
fn public(folder: &Path) -> Vec<PathBuf> {
    let mut parts = Vec::new();
    if gather(folder, &mut parts) { vec![folder.to_path_buf()] } else { parts }
}

/// Whether all of a folder is public; else its parts that are.
fn gather(folder: &Path, parts: &mut Vec<PathBuf>) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let (mut whole, mut own) = (true, Vec::new());
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        // A link leads to what has rules of its own, where it may be read.
        let Ok(about) = fs::symlink_metadata(&path) else { continue };
        let is_public = if about.is_symlink() {
            continue;
        } else if about.is_dir() {
            is_readable(&about, 0o005) && gather(&path, &mut own)
        } else {
            is_readable(&about, 0o004)
        };
        if is_public {
            own.push(path);
        }
        whole &= is_public;
    }
    if !whole {
        parts.append(&mut own);
    }
    whole
}

fn is_readable(about: &Metadata, by_others: u32) -> bool {
    about.permissions().mode() & by_others == by_others
}

// System calls of x86-64 that Landlock says nothing about.
const CHMOD: [i64; 4] = [90, 91, 268, 452];
const CHOWN: [i64; 4] = [92, 93, 94, 260];
const TIMES: [i64; 4] = [132, 235, 261, 280];
const ATTRIBUTES: [i64; 9] = [188, 189, 190, 197, 198, 199, 463, 466, 469];
const TRUNCATE: [i64; 1] = [76];
/// Mounts and roots, by which files would have other names.
const MOUNTS: [i64; 8] = [161, 155, 165, 428, 429, 430, 442, 272];
/// Means of making system calls that no filter sees (`io_uring_setup`) or whose flags it cannot read (`openat2`): programs expect
/// that these may be missing.
const UNSEEN: [i64; 2] = [425, 437];
const OPEN: i64 = 2;
const OPENAT: i64 = 257;
const CREAT: i64 = 85;
const SOCKET: i64 = 41;
const O_TRUNC: u64 = 0o1000;
const AF_UNIX: u64 = 1;

/// Refuses the system calls that would go around Landlock, and sockets other than those between processes.
fn refuse_around() -> Result<(), Box<dyn Error>> {
    let always = [&CHMOD[..], &CHOWN, &TIMES, &ATTRIBUTES, &TRUNCATE, &MOUNTS, &[CREAT]].concat();
    let mut calls: Refused = always.into_iter().map(|call| (call, vec![])).collect();
    let truncates = SeccompCmpOp::MaskedEq(O_TRUNC);
    calls.insert(OPEN, vec![rule(1, truncates.clone(), O_TRUNC)?]);
    calls.insert(OPENAT, vec![rule(2, truncates, O_TRUNC)?]);
    calls.insert(SOCKET, vec![rule(0, SeccompCmpOp::Ne, AF_UNIX)?]);
    refuse(calls, Errno::PERM)?;
    refuse(UNSEEN.map(|call| (call, vec![])).into(), Errno::NOSYS)
}

/// Rule that an argument of a system call matches.
pub(crate) fn rule(
    argument: u8,
    how: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value)?])
}

/// Refuses system calls to the calling thread and all that comes of it.
pub(crate) fn refuse(calls: Refused, with: Errno) -> Result<(), Box<dyn Error>> {
    let action = SeccompAction::Errno(with.raw_os_error().unsigned_abs());
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, action, TargetArch::x86_64)?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_folder_the_parts_are_public_that_everybody_may_read() {
        let folder = std::env::temp_dir().join(format!("tailrace-public-{}", std::process::id()));
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (name, bits) in
            [("hosts", 0o644), ("shadow", 0o640), ("ssl/cert", 0o644), ("ssl/private/key", 0o644)]
        {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            mode(&path, bits);
        }
        for (name, bits) in [("", 0o755), ("ssl", 0o755), ("ssl/private", 0o710)] {
            mode(&folder.join(name), bits);
        }
        let mut found = public(&folder);
        found.sort();
        assert_eq!(found, ["hosts", "ssl/cert"].map(|name| folder.join(name)));
        mode(&folder.join("shadow"), 0o644);
        mode(&folder.join("ssl/private"), 0o755);
        assert_eq!(public(&folder), std::slice::from_ref(&folder));
        fs::remove_dir_all(&folder).unwrap();
    }
}
