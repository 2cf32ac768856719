//! The programs of the comparison, each as it is with Raddle, loom and shuttle: those that were
//! written for it (`programs.rs`) and the Rust part of the corpus (`corpus.rs`).

/// In this order everywhere.
pub const TOOLS: [&str; 3] = ["raddle", "loom", "shuttle"];

/// A program, as each tool runs it; none where a tool cannot.
pub type Program = (&'static str, [Option<fn()>; 3]);

#[allow(clippy::unwrap_used, dead_code, missing_docs, reason = "small programs that may fail")]
pub mod ours {
    use raddle::{sync, thread};
    include!("programs.rs");

    pub mod corpus {
        use raddle as tool;

        macro_rules! program {
            (($($peer:ident)*) mod $($rest:tt)*) => { mod $($rest)* };
            (($($peer:ident)*) $run:path) => { Some($run) };
        }

        include!("corpus.rs");
    }
}

#[allow(clippy::unwrap_used, dead_code, missing_docs, reason = "small programs that may fail")]
pub mod looms {
    use loom::{sync, thread};
    include!("programs.rs");

    pub mod corpus {
        use loom as tool;

        macro_rules! program {
            ((loom $($peer:ident)*) mod $($rest:tt)*) => {};
            ((loom $($peer:ident)*) $run:path) => { None };
            (() mod $($rest:tt)*) => { mod $($rest)* };
            (() $run:path) => { Some($run) };
        }

        include!("corpus.rs");
    }
}

#[allow(clippy::unwrap_used, dead_code, missing_docs, reason = "small programs that may fail")]
pub mod shuttles {
    use shuttle::{sync, thread};
    include!("programs.rs");

    pub mod corpus {
        use shuttle as tool;

        macro_rules! program {
            ((loom shuttle) mod $($rest:tt)*) => {};
            ((loom shuttle) $run:path) => { None };
            (() mod $($rest:tt)*) => { mod $($rest)* };
            (() $run:path) => { Some($run) };
        }

        include!("corpus.rs");
    }
}

/// Those that fail.
pub fn broken() -> Vec<Program> {
    let own = ours::BROKEN.iter().zip(looms::BROKEN).zip(shuttles::BROKEN);
    let own = own.map(|((our, loom), shuttle)| (our.0, [our.1, loom.1, shuttle.1].map(Some)));
    own.chain(corpus(false)).collect()
}

/// Those that do not.
pub fn correct() -> Vec<Program> {
    let own = ours::CORRECT.iter().zip(looms::CORRECT).zip(shuttles::CORRECT);
    let own = own.map(|((our, loom), shuttle)| (our.0, [our.1, loom.1, shuttle.1].map(Some)));
    own.chain(corpus(true)).collect()
}

fn corpus(is_fixed: bool) -> impl Iterator<Item = Program> {
    let all = ours::corpus::CORPUS.into_iter().zip(looms::corpus::CORPUS);
    let all = all.zip(shuttles::corpus::CORPUS);
    let all = all.map(|((our, loom), shuttle)| (our.0, [our.1, loom.1, shuttle.1]));
    all.filter(move |program| program.0.ends_with("_fixed") == is_fixed)
}
