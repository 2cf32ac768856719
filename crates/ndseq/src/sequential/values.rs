//! Results of two executions: the same values, whatever addresses objects have.

use raddle_vm::{Machine, ObjectKind};
use rustc_hash::FxHashMap;

/// Whether objects hold the same in the last states of two executions. Pointers are the same if what
/// they point to is, at the same offset; objects on the heap are compared where they are reached.
pub fn same_values(one: &Machine, other: &Machine, objects: &[u32]) -> bool {
    let mut pairs = FxHashMap::default();
    objects.iter().all(|&object| same(one, other, object, object, &mut pairs))
}

fn same(one: &Machine, other: &Machine, a: u32, b: u32, pairs: &mut FxHashMap<u32, u32>) -> bool {
    if let Some(&known) = pairs.get(&a) {
        return known == b;
    }
    pairs.insert(a, b);
    let (Some(left), Some(right)) = (one.bytes(a), other.bytes(b)) else { return false };
    if left.len() != right.len() {
        return false;
    }
    let words = |bytes: &[u8]| -> Vec<u64> {
        let word =
            |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        bytes.chunks(8).map(word).collect()
    };
    let is_heap = |machine: &Machine, object: u32| {
        machine.object(object).is_some_and(|object| object.kind == ObjectKind::Heap)
    };
    words(left).into_iter().zip(words(right)).all(|(x, y)| {
        match (one.resolve(x), other.resolve(y)) {
            (Some((p, n)), Some((q, m))) if is_heap(one, p) && is_heap(other, q) => {
                n == m && same(one, other, p, q, pairs)
            }
            _ => x == y,
        }
    })
}
