//! Funnel.
