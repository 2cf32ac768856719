//! Executions as `.rdl` traces.
