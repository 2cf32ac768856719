//! Data models: how large `int`, `long` and pointers are, and the macros that say so.

use crate::ir::DataModel;

/// The macros of 32-bit compilers that differ from those of 64-bit ones. The option `-m32` is not
/// used, since the headers that it needs are often not installed.
const ILP32: &[(&str, &str)] = &[
    ("__ILP32__", "1"),
    ("_ILP32", "1"),
    ("__i386__", "1"),
    ("__i386", "1"),
    ("__SIZEOF_POINTER__", "4"),
    ("__SIZEOF_LONG__", "4"),
    ("__SIZEOF_SIZE_T__", "4"),
    ("__SIZEOF_PTRDIFF_T__", "4"),
    ("__LONG_MAX__", "0x7fffffffL"),
    ("__LONG_WIDTH__", "32"),
    ("__SIZE_TYPE__", "unsigned int"),
    ("__SIZE_MAX__", "0xffffffffU"),
    ("__SIZE_WIDTH__", "32"),
    ("__PTRDIFF_TYPE__", "int"),
    ("__PTRDIFF_MAX__", "0x7fffffff"),
    ("__PTRDIFF_WIDTH__", "32"),
    ("__WCHAR_TYPE__", "long int"),
    ("__WCHAR_MAX__", "0x7fffffffL"),
    ("__WCHAR_MIN__", "(-0x7fffffffL - 1)"),
    ("__INTPTR_TYPE__", "int"),
    ("__INTPTR_MAX__", "0x7fffffff"),
    ("__INTPTR_WIDTH__", "32"),
    ("__UINTPTR_TYPE__", "unsigned int"),
    ("__UINTPTR_MAX__", "0xffffffffU"),
    ("__INT64_TYPE__", "long long int"),
    ("__INT64_MAX__", "0x7fffffffffffffffLL"),
    ("__UINT64_TYPE__", "long long unsigned int"),
    ("__UINT64_MAX__", "0xffffffffffffffffULL"),
    ("__INT64_C(c)", "c ## LL"),
    ("__UINT64_C(c)", "c ## ULL"),
    ("__INTMAX_TYPE__", "long long int"),
    ("__INTMAX_MAX__", "0x7fffffffffffffffLL"),
    ("__UINTMAX_TYPE__", "long long unsigned int"),
    ("__UINTMAX_MAX__", "0xffffffffffffffffULL"),
    ("__INTMAX_C(c)", "c ## LL"),
    ("__UINTMAX_C(c)", "c ## ULL"),
    ("__INT_LEAST64_TYPE__", "long long int"),
    ("__INT_LEAST64_MAX__", "0x7fffffffffffffffLL"),
    ("__UINT_LEAST64_TYPE__", "long long unsigned int"),
    ("__UINT_LEAST64_MAX__", "0xffffffffffffffffULL"),
    ("__INT_FAST16_TYPE__", "int"),
    ("__INT_FAST16_MAX__", "0x7fffffff"),
    ("__INT_FAST16_WIDTH__", "32"),
    ("__UINT_FAST16_TYPE__", "unsigned int"),
    ("__UINT_FAST16_MAX__", "0xffffffffU"),
    ("__INT_FAST32_TYPE__", "int"),
    ("__INT_FAST32_MAX__", "0x7fffffff"),
    ("__INT_FAST32_WIDTH__", "32"),
    ("__UINT_FAST32_TYPE__", "unsigned int"),
    ("__UINT_FAST32_MAX__", "0xffffffffU"),
    ("__INT_FAST64_TYPE__", "long long int"),
    ("__INT_FAST64_MAX__", "0x7fffffffffffffffLL"),
    ("__UINT_FAST64_TYPE__", "long long unsigned int"),
    ("__UINT_FAST64_MAX__", "0xffffffffffffffffULL"),
];

/// Macros that only 64-bit compilers define.
const ONLY_LP64: &[&str] =
    &["__x86_64__", "__x86_64", "__amd64__", "__amd64", "__LP64__", "_LP64", "__SIZEOF_INT128__"];

impl DataModel {
    /// The options that define the model's macros; nothing for the model of the host.
    pub(super) fn macros(self) -> impl Iterator<Item = String> {
        let (defined, only_other) = match self {
            DataModel::Ilp32 => (ILP32, ONLY_LP64),
            DataModel::Lp64 => (&[][..], &[][..]),
        };
        let functions_have_no_undefine = |name: &&str| !name.contains('(');
        let undefined = defined.iter().map(|(name, _)| *name).filter(functions_have_no_undefine);
        let undefined = only_other.iter().copied().chain(undefined);
        let undefined = undefined.map(|name| format!("-U{name}"));
        undefined.chain(defined.iter().map(|(name, value)| format!("-D{name}={value}")))
    }
}
