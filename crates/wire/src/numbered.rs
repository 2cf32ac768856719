//! Enums whose variants have numbers that cross a boundary: declared once, with the way back from a number.

/// Declares such an enum, with its type of numbers: a variant cannot be missing on the way back.
macro_rules! numbered {
    (
        $(#[$meta:meta])*
        pub enum $name:ident: $number:ident {
            $($(#[$doc:meta])* $variant:ident = $value:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr($number)]
        pub enum $name {
            $($(#[$doc])* $variant = $value,)*
        }

        impl $name {
            /// The one with a number, if there is one.
            pub const fn from_number(number: $number) -> Option<$name> {
                match number {
                    $($value => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use numbered;
