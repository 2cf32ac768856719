//! The syntax tree of one translation unit: what the parser says, before any type is known.
//!
//! In: nothing, these are plain types. Out: the shape that [`parse`](crate::parse) builds and
//! [`lower`](crate::lower) reads. The tree keeps the program as it was written: no conversion is
//! inserted, no constant is folded, parentheses alone are dropped. The parser distinguishes typedef names from
//! other identifiers, since C cannot be parsed otherwise.

use std::rc::Rc;

use crate::source::Span;

/// An identifier; equal names share their text.
pub type Name = Rc<str>;

/// An identifier and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Identifier {
    /// The text.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// One preprocessed file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unit {
    /// What stands at file scope, in order.
    pub items: Vec<Item>,
}

/// Something at file scope.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// A function with its body.
    Function(Function),
    /// A declaration of objects, functions, types.
    Declaration(Declaration),
    /// `asm("…");`, which is refused unless it is empty.
    Asm(Asm),
}

/// A function definition.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// What stands before the declarator.
    pub specifiers: Specifiers,
    /// The name and the parameters; its outermost derivation is a function.
    pub declarator: Declarator,
    /// The declarations of the parameters of an old-style definition.
    pub old_style: Vec<Declaration>,
    /// The body.
    pub body: Block,
    /// All of it.
    pub span: Span,
}

/// A declaration, also one without declarators (`struct s { … };`) and `_Static_assert`.
#[derive(Clone, PartialEq, Debug)]
pub enum Declaration {
    /// Objects, functions, typedefs, tags.
    Of {
        /// What stands before the declarators.
        specifiers: Specifiers,
        /// The declarators with their initialisers.
        declarators: Vec<InitDeclarator>,
        /// All of it.
        span: Span,
    },
    /// `_Static_assert(condition, "message");`
    StaticAssert {
        /// Must be a constant other than zero.
        condition: Box<Expr>,
        /// The message, if there is one.
        message: Option<Vec<u8>>,
        /// All of it.
        span: Span,
    },
}

/// A declarator and its initialiser.
#[derive(Clone, PartialEq, Debug)]
pub struct InitDeclarator {
    /// What is declared.
    pub declarator: Declarator,
    /// `= …`
    pub initializer: Option<Initializer>,
    /// `__asm__("name")` and where an object is bound to a register are kept as attributes.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// The part of a declaration that all its declarators share.
#[derive(Clone, PartialEq, Debug)]
pub struct Specifiers {
    /// `typedef`, `extern`, `static`, `auto`, `register`.
    pub storage: Option<Storage>,
    /// `_Thread_local`, `__thread`.
    pub thread_local: bool,
    /// `inline` in any spelling.
    pub inline: bool,
    /// `_Noreturn` in any spelling.
    pub noreturn: bool,
    /// Qualifiers of the base type.
    pub qualifiers: Qualifiers,
    /// The base type.
    pub base: TypeSpecifier,
    /// `_Alignas(…)`.
    pub alignments: Vec<Alignment>,
    /// `__attribute__((…))` and `[[…]]`.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// A storage class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// Qualifiers; `restrict` is read and dropped, it changes nothing here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Qualifiers {
    /// `const`
    pub constant: bool,
    /// `volatile`
    pub volatile: bool,
    /// `_Atomic` as a qualifier
    pub atomic: bool,
}

/// What `_Alignas` says.
#[derive(Clone, PartialEq, Debug)]
pub enum Alignment {
    /// `_Alignas(type)`
    Type(TypeName),
    /// `_Alignas(constant)`
    Value(Expr),
}

/// One attribute; those that change meaning (`packed`, `aligned`, `constructor`, …) are looked at
/// by the lowering, the others do not change what a program does.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// The name without leading and trailing underscores: `packed` for `__packed__`.
    pub name: Name,
    /// Its arguments as far as they are expressions.
    pub arguments: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// The base type of a declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeSpecifier {
    /// `int`, `unsigned long`, …
    Basic(Basic),
    /// `struct` or `union`.
    Record(Record),
    /// `enum`.
    Enum(Enum),
    /// A typedef name.
    Typedef(Identifier),
    /// `typeof(expression)`
    TypeofExpr(Box<Expr>),
    /// `typeof(type)`
    TypeofType(Box<TypeName>),
    /// `_Atomic(type)`
    Atomic(Box<TypeName>),
    /// `__auto_type`: the type of the initialiser.
    Auto,
    /// `__builtin_va_list`
    VaList,
}

/// The arithmetic types and `void`; no type at all (as in `static x;`) is `Int`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum Basic {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    Float,
    Double,
    LongDouble,
    /// `_Float128`, `_Decimal64`, `_Complex`, vector types: the lowering refuses them by name.
    Unsupported(&'static str),
}

/// `struct` or `union`, with or without its members.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Whether it is a union.
    pub union: bool,
    /// The tag.
    pub tag: Option<Identifier>,
    /// The members, if this is the definition.
    pub members: Option<Vec<Member>>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// A line in a record.
#[derive(Clone, PartialEq, Debug)]
pub enum Member {
    /// Fields of one base type; no declarators: an anonymous record.
    Fields {
        /// What stands before the declarators.
        specifiers: Specifiers,
        /// The fields.
        fields: Vec<Field>,
        /// All of it.
        span: Span,
    },
    /// `_Static_assert`
    StaticAssert(Declaration),
}

/// One field.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name and type; an unnamed bit-field has no declarator.
    pub declarator: Option<Declarator>,
    /// The width of a bit-field.
    pub width: Option<Expr>,
    /// Attributes after the declarator.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// `enum`, with or without its constants.
#[derive(Clone, PartialEq, Debug)]
pub struct Enum {
    /// The tag.
    pub tag: Option<Identifier>,
    /// The constants, if this is the definition.
    pub constants: Option<Vec<(Identifier, Option<Expr>)>>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// A name with the derivations around it; abstract declarators have no name.
#[derive(Clone, PartialEq, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Option<Identifier>,
    /// The derivations, the one closest to the name first: `int *a[3]` has array, pointer.
    pub derived: Vec<Derived>,
    /// All of it.
    pub span: Span,
}

/// One derivation of a declarator.
#[derive(Clone, PartialEq, Debug)]
pub enum Derived {
    /// `*` with its qualifiers.
    Pointer(Qualifiers),
    /// `[…]`; qualifiers and `static` matter only for parameters and are dropped.
    Array(ArraySize),
    /// `(…)`
    Function(Parameters),
}

/// The size of an array.
#[derive(Clone, PartialEq, Debug)]
pub enum ArraySize {
    /// `[]`
    Unknown,
    /// `[*]`
    Star,
    /// `[n]`
    Expr(Box<Expr>),
}

/// The parameters of a function.
#[derive(Clone, PartialEq, Debug)]
pub enum Parameters {
    /// `()` and, in old-style definitions, `(a, b)`.
    OldStyle(Vec<Identifier>),
    /// With types; `(void)` is the empty list.
    Typed {
        /// The parameters.
        list: Vec<Parameter>,
        /// Whether `, ...` follows.
        variadic: bool,
    },
}

/// One parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// What stands before the declarator.
    pub specifiers: Specifiers,
    /// The declarator, possibly without a name.
    pub declarator: Declarator,
    /// All of it.
    pub span: Span,
}

/// A type as in a cast.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeName {
    /// What stands before the declarator.
    pub specifiers: Specifiers,
    /// A declarator without a name.
    pub declarator: Declarator,
    /// All of it.
    pub span: Span,
}

/// An initialiser.
#[derive(Clone, PartialEq, Debug)]
pub enum Initializer {
    /// One expression.
    Expr(Expr),
    /// `{ … }`
    List(Vec<InitializerItem>, Span),
}

/// One item of an initialiser list.
#[derive(Clone, PartialEq, Debug)]
pub struct InitializerItem {
    /// `.field`, `[index]`, … before `=`.
    pub designators: Vec<Designator>,
    /// The value.
    pub value: Initializer,
    /// All of it.
    pub span: Span,
}

/// A step into an aggregate.
#[derive(Clone, PartialEq, Debug)]
pub enum Designator {
    /// `.field`
    Field(Identifier),
    /// `[index]`
    Index(Expr),
    /// `[first ... last]`
    Range(Expr, Expr),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A name.
    Identifier(Name),
    /// An integer constant.
    Integer(Integer),
    /// A floating constant.
    Float {
        /// Its value.
        value: f64,
        /// `f`, `l` or nothing.
        kind: Basic,
    },
    /// A character constant; its type is `int`, or as the prefix says.
    Character {
        /// Its value as C computes it.
        value: i64,
        /// `L`, `u`, `U`, `u8` or nothing.
        prefix: Prefix,
    },
    /// Adjacent string literals, joined, without the terminating zero; wide ones as code points.
    String {
        /// Bytes, or code points of a wide string.
        units: Vec<u32>,
        /// `L`, `u`, `U`, `u8` or nothing.
        prefix: Prefix,
    },
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(…)`
    Call(Box<Expr>, Vec<Expr>),
    /// `a.b` or `a->b`
    Member {
        /// The left side.
        base: Box<Expr>,
        /// The name of the member.
        field: Identifier,
        /// Whether it is `->`.
        arrow: bool,
    },
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// `++` and `--`.
    Step {
        /// What is stepped.
        place: Box<Expr>,
        /// Up or down.
        up: bool,
        /// Whether the value is that before the step.
        postfix: bool,
    },
    /// `(type) a`
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type) { … }`
    Compound(Box<TypeName>, Box<Initializer>),
    /// `sizeof a`
    SizeofExpr(Box<Expr>),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `__alignof__ a`
    AlignofExpr(Box<Expr>),
    /// `_Alignof(type)`
    AlignofType(Box<TypeName>),
    /// A binary operator without `&&` and `||`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `&&` and `||`.
    Logical {
        /// Whether it is `&&`.
        and: bool,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
    /// `a ? b : c`, and `a ?: c`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a = b`, and `a op= b`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `({ … })`
    Statement(Block),
    /// `_Generic(a, type: b, default: c)`
    Generic(Box<Expr>, Vec<(Option<TypeName>, Expr)>),
    /// `__builtin_va_arg(list, type)`
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_offsetof(type, member…)`; the first designator is the member's name.
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_types_compatible_p(type, type)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(constant, a, b)`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `&&label`
    LabelAddress(Identifier),
}

/// An integer constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer {
    /// Its value.
    pub value: u64,
    /// Whether it was written in decimal, which decides the types it may have.
    pub decimal: bool,
    /// Whether `u` follows.
    pub unsigned: bool,
    /// How many `l` follow: 0, 1 or 2.
    pub long: u8,
}

/// The prefix of a character constant or string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// None.
    None,
    /// `u8`
    Utf8,
    /// `L`
    Wide,
    /// `u`
    Utf16,
    /// `U`
    Utf32,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `&`
    AddressOf,
    /// `*`
    Dereference,
    /// `+`
    Plus,
    /// `-`
    Negate,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// Binary operators; also those of compound assignments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
}

/// `{ … }`
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// What stands in it.
    pub items: Vec<Stmt>,
    /// All of it.
    pub span: Span,
}

/// A statement, or a declaration among statements.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// A declaration.
    Declaration(Declaration),
    /// An expression.
    Expr(Expr),
    /// `{ … }`
    Block(Block),
    /// `if`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`
    While(Expr, Box<Stmt>),
    /// `do … while`
    DoWhile(Box<Stmt>, Expr),
    /// `for`; the first part is a declaration, an expression or nothing (`Empty`).
    For(Box<Stmt>, Option<Expr>, Option<Expr>, Box<Stmt>),
    /// `switch`
    Switch(Expr, Box<Stmt>),
    /// `case a:` and `case a ... b:`
    Case(Expr, Option<Expr>, Box<Stmt>),
    /// `default:`
    Default(Box<Stmt>),
    /// `label:`
    Label(Identifier, Box<Stmt>),
    /// `__label__ a, b;`
    LocalLabels(Vec<Identifier>),
    /// `goto label;`
    Goto(Identifier),
    /// `goto *address;`
    GotoComputed(Expr),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;`
    Return(Option<Expr>),
    /// `asm`
    Asm(Asm),
}

/// Inline assembly: kept so that it can be named in an error. An empty template is a barrier for
/// the compiler alone and does nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct Asm {
    /// The template.
    pub template: Vec<u8>,
    /// Whether it has outputs.
    pub outputs: bool,
    /// All of it.
    pub span: Span,
}
