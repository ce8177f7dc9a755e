//! Inputs made of others, or of nothing.

use tailrace_core::Rng;

/// A new input is hardly longer than this where no seed is.
const USUAL_LEN: u64 = 512;
const MOST_CHANGES: u64 = 8;
/// Bytes that borders are made of.
const SPECIAL: [u8; 8] = [0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, b'\n'];

/// Generates an input: any bytes, or a seed with some changes. The result depends on the state of `rng` alone.
pub(crate) fn next(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    if seeds.is_empty() || rng.below(4) == 0 {
        let len = rng.below(USUAL_LEN);
        return (0..len).map(|_| byte(rng)).collect();
    }
    let mut data = one(seeds, rng).clone();
    for _ in 0..=rng.below(MOST_CHANGES) {
        change(&mut data, seeds, rng);
    }
    data
}

fn one<'s, T>(of: &'s [T], rng: &mut Rng) -> &'s T {
    &of[rng.below(of.len() as u64) as usize]
}

fn byte(rng: &mut Rng) -> u8 {
    if rng.below(4) == 0 { *one(&SPECIAL, rng) } else { rng.below(256) as u8 }
}

/// Where something begins and ends in `len` bytes; mostly a few.
fn range(len: usize, rng: &mut Rng) -> core::ops::Range<usize> {
    let from = rng.below(len as u64 + 1) as usize;
    let most = if rng.below(4) == 0 { len } else { 8 };
    from..len.min(from + rng.below(most as u64 + 1) as usize)
}

fn change(data: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut Rng) {
    let len = data.len();
    let at = rng.below(len as u64 + 1) as usize;
    match rng.below(7) {
        0 | 1 if at < len => data[at] = byte(rng),
        2 if at < len => data[at] ^= 1 << rng.below(8),
        3 => drop(data.drain(range(len, rng))),
        4 => {
            let more: Vec<u8> = (0..=rng.below(4)).map(|_| byte(rng)).collect();
            data.splice(at..at, more);
        }
        // Copies a part of the input over another part, or inserts it there.
        5 => {
            let again = data[range(len, rng)].to_vec();
            let to = if rng.below(2) == 0 { at } else { len.min(at + again.len()) };
            data.splice(at..to, again);
        }
        // Another's part, which may be all that is left of it.
        _ => {
            let other = one(seeds, rng);
            data.splice(at..at, other[range(other.len(), rng)].iter().copied());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_the_same_each_time_and_differ_from_each_other() {
        let seeds = [b"[host.a]\nrate = 1\n[host.b]\nrate = 2\n".to_vec(), Vec::new()];
        let inputs = |seed| {
            let mut rng = Rng::named(seed, "inputs");
            (0..1000).map(|_| next(&seeds, &mut rng)).collect::<Vec<_>>()
        };
        let (first, mut distinct) = (inputs(1), inputs(1));
        assert_eq!(first, distinct);
        assert_ne!(first, inputs(2));
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() > 800, "{}", distinct.len());
    }
}
