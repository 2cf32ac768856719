//! One program for each rule, with its near miss.
