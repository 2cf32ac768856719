//! Tokens: small, copied, without text of their own.

use super::name::Symbol;
use crate::source::Span;

/// One token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Which name it is, for identifiers and keywords.
    pub symbol: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of tokens; all spellings of a keyword are one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum TokenKind {
    /// The end of the text.
    End,
    /// A name, also one that names a type.
    Identifier,
    /// What looks like a number.
    Number,
    /// A character constant with its prefix.
    Character,
    /// A string with its prefix.
    String,
    /// A byte that starts no token.
    Stray,
    /// A string or character constant without its closing quote.
    Unterminated,
    /// A comment without its end.
    UnterminatedComment,

    // Punctuators.
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Semicolon,
    Comma,
    Colon,
    Question,
    Dot,
    Ellipsis,
    Arrow,
    PlusPlus,
    MinusMinus,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    And,
    Or,
    Xor,
    Tilde,
    Not,
    AndAnd,
    OrOr,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    EqualEqual,
    NotEqual,
    Assign,
    PlusAssign,
    MinusAssign,
    StarAssign,
    SlashAssign,
    PercentAssign,
    AndAssign,
    OrAssign,
    XorAssign,
    ShiftLeftAssign,
    ShiftRightAssign,
    Hash,
    HashHash,

    // Storage classes, function specifiers, qualifiers.
    Typedef,
    Extern,
    Static,
    AutoStorage,
    Register,
    ThreadLocal,
    Inline,
    Noreturn,
    Const,
    Volatile,
    Restrict,
    Atomic,
    Alignas,
    Attribute,
    Extension,

    // Types.
    Void,
    Bool,
    Char,
    Short,
    Int,
    Long,
    Signed,
    Unsigned,
    Int128,
    /// `__int128_t`, which takes no `unsigned`.
    Int128Name,
    /// `__uint128_t`
    UnsignedInt128Name,
    Float,
    Double,
    Complex,
    /// A type by one name that the tree cannot say: `_Float128`, `_Decimal64`, ….
    UnsupportedType,
    Struct,
    Union,
    Enum,
    Typeof,
    AutoType,
    VaList,

    // Statements.
    If,
    Else,
    While,
    Do,
    For,
    Switch,
    Case,
    Default,
    Goto,
    Break,
    Continue,
    Return,
    Asm,
    LocalLabel,

    // Expressions.
    Sizeof,
    Alignof,
    Generic,
    StaticAssert,
    VaArg,
    Offsetof,
    TypesCompatible,
    ChooseExpr,
    /// An operator that the tree cannot say: `__real__`, `__builtin_convertvector`, ….
    UnsupportedOperator,
}
