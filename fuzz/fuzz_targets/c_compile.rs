//! Any text as preprocessed C: a program that verifies and runs without a panic, or diagnostics.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use raddle_cfront::compile::compile_texts;
use raddle_cfront::diagnostic::Error;
use raddle_cfront::ir::{DataModel, verify};
use raddle_vm::{Machine, Settings};

fuzz_target!(|text: &str| {
    let model = if text.len() % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
    match compile_texts(&[("<fuzz>", text)], model) {
        Ok(compiled) => {
            assert_eq!(verify(&compiled.program), Ok(()));
            let settings =
                Settings { n_steps_max: 20_000, memory_max: 1 << 20, ..Settings::default() };
            if let Ok(mut machine) = Machine::new(Arc::new(compiled.program), &settings) {
                machine.run_default(&mut ());
            }
        }
        Err(Error::Diagnostics(reports)) => assert!(!reports.is_empty()),
        Err(_) => {}
    }
});
