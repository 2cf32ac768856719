//! Universal causality graphs.
