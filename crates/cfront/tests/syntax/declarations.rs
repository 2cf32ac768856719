//! Declarations and definitions of functions.

use super::check;

#[test]
fn basic_types_in_any_order() {
    check("long unsigned int long a;", "(decl a:unsignedlonglong)");
    check(
        "char signed a; unsigned char b; char c;",
        "(decl a:signedchar)\n(decl b:unsignedchar)\n(decl c:char)",
    );
    check(
        "short a; int unsigned short b; signed c; unsigned d;",
        "(decl a:short)\n(decl b:unsignedshort)\n(decl c:int)\n(decl d:unsignedint)",
    );
    check("double long a; float b; _Bool c;", "(decl a:longdouble)\n(decl b:float)\n(decl c:bool)");
    check(
        "unsigned __int128 a; __int128_t b; __uint128_t c;",
        "(decl a:unsignedint128)\n(decl b:int128)\n(decl c:unsignedint128)",
    );
    check(
        "_Float128 a; double _Complex b; _Decimal64 c;",
        "(decl a:!_Float128)\n(decl b:!_Complex)\n(decl c:!_Decimal64)",
    );
    check("__builtin_va_list a; __auto_type b = 1;", "(decl a:va_list)\n(decl b:auto = 1)");
}

#[test]
fn alternative_spellings() {
    check("__const __volatile__ __signed__ int a;", "(decl a:const volatile int)");
    check("static __inline__ int *__restrict a;", "(decl static inline a:*int)");
    check(
        "extern __thread int a; static _Thread_local int b;",
        "(decl extern thread_local a:int)\n(decl static thread_local b:int)",
    );
    check("_Noreturn void f(void);", "(decl noreturn f:()void)");
    check("_Alignas(16) _Alignas(long) char a;", "(decl alignas(16) alignas(long) a:char)");
    check("__typeof__(a) b; typeof(int *) c;", "(decl b:typeof(a))\n(decl c:typeof-type(*int))");
}

#[test]
fn atomics() {
    check(
        "_Atomic int a; int _Atomic b; _Atomic(int *) c; int *_Atomic d;",
        "(decl a:atomic int)\n(decl b:atomic int)\n(decl c:atomic(*int))\n(decl d:*atomic int)",
    );
}

#[test]
fn declarators_read_from_the_name_outwards() {
    check("int *a[3];", "(decl a:[3]*int)");
    check("int (*a)[3];", "(decl a:*[3]int)");
    check("int *const *volatile a;", "(decl a:*volatile *const int)");
    check("int (*f)(void), g(int a, char), *h();", "(decl f:*()int g:(a:int :char)int h:(?)*int)");
    check(
        "void (*signal(int, void (*)(int)))(int);",
        "(decl signal:(:int :*(:int)void)*(:int)void)",
    );
    check("int a[2][3], b[], ((c));", "(decl a:[2][3]int b:[]int c:int)");
    check(
        "int f(int n, int a[static const n], int b[*], int c[restrict]);",
        "(decl f:(n:int a:[n]int b:[*]int c:[]int)int)",
    );
    check("int printf(const char *, ...);", "(decl printf:(:*const char ...)int)");
    check(
        "int f(int (x), int (*)(void), int (void), int [2]);",
        "(decl f:(x:int :*()int :()int :[2]int)int)",
    );
}

#[test]
fn records() {
    check("struct s { int a, *b; char c[3]; };", "(type struct s {a:int b:*int; c:[3]char})");
    check("union { int a; } x;", "(decl x:union {a:int})");
    check("struct s;", "(type struct s)");
    check("struct { } a;", "(decl a:struct {})");
    check(
        "struct s { int a : 3, : 0; unsigned : 4; };",
        "(type struct s {a:int/3 :int/0; :unsignedint/4})",
    );
    check(
        "struct s { struct { int a; }; union u; int b[]; };",
        "(type struct s {struct {a:int}; union u; b:[]int})",
    );
    check(
        "struct s { _Static_assert(1); ; __extension__ long long a; };",
        "(type struct s {(static_assert 1 \"\"); a:longlong})",
    );
    check("struct s { int a }; ", "(type struct s {a:int})");
}

#[test]
fn packing_holds_where_a_record_ends() {
    check(
        "#pragma pack(push, 1)\nstruct a { int x; };\n#pragma pack(pop)\nstruct b { int x; };",
        "(type struct a {x:int} @pack(1))\n(type struct b {x:int})",
    );
    check("#pragma pack(1)\nstruct a;", "(type struct a)");
}

#[test]
fn enumerations() {
    check("enum e { A, B = 2, C, };", "(type enum e {A B=2 C})");
    check("enum { A __attribute__((deprecated)) = 1 } a;", "(decl a:enum {A=1})");
    check("enum e a;", "(decl a:enum e)");
}

#[test]
fn attributes_in_every_position() {
    check(
        "__attribute__((a)) int __attribute__((b)) x __attribute__((c)) = 1;",
        "(decl @a @b x:int @c = 1)",
    );
    check("int x, __attribute__((a)) y;", "(decl x:int y:int @a)");
    check(
        "struct __attribute__((__packed__)) s { int a __attribute__((aligned(8))); } __attribute((b));",
        "(type struct s {a:int @aligned(8)} @packed @b)",
    );
    check("struct s { int a; } __attribute__((packed)) x;", "(decl x:struct s {a:int} @packed)");
    check(
        "enum __attribute__((packed)) e { A } __attribute__((b));",
        "(type enum e {A} @packed @b)",
    );
    check("int (__attribute__((a)) *f)(void);", "(decl f:*()int @a)");
    check("int * __attribute__((a)) const p;", "(decl p:*const int)");
    check(
        "void f(int x __attribute__((unused)), __attribute__((a)) int);",
        "(decl f:(@unused x:int @a :int)void)",
    );
    check(
        "void f(void) __attribute__((format(printf, 1, 2), nonnull, , const));",
        "(decl f:()void @format(printf 1 2) @nonnull @const)",
    );
    check("int x __attribute__((a(int, 1)));", "(decl x:int @a(1))");
    check(
        "int x __attribute__((vector_size(sizeof(int) * 4)));",
        "(decl x:int @vector_size((* (sizeof-type int) 4)))",
    );
    check("[[gnu::packed, noreturn]] int f(void);", "(decl @packed @noreturn f:()int)");
    check("int x [[a]] [3];", "error at '[': expected ';' after declaration, found '['");
    check("__attribute__(()) int x;", "(decl x:int)");
}

#[test]
fn assembler_names() {
    check("int f(void) __asm__(\"g\" \"h\") __attribute__((a));", "(decl f:()int @asm(\"gh\") @a)");
    check("register int x asm(\"rax\") = 1;", "(decl register x:int @asm(\"rax\") = 1)");
}

#[test]
fn functions() {
    check("int main(void) { return 0; }", "(func main:()int (return 0))");
    check("main() { }", "(func main:(?)int)");
    check("static inline int *f(int a, ...) { }", "(func static inline f:(a:int ...)*int)");
    check("int (*f(int a))(char) { }", "(func f:(a:int)*(:char)int)");
    check("__extension__ int f(void) { }", "(func f:()int)");
    check("void f(void) { };", "(func f:()void)");
}

#[test]
fn old_style_functions() {
    check("int f(a, b) int a; char *b; { }", "(func f:(?a b)int (decl a:int) (decl b:*char))");
    check("f(a) { return a; }", "(func f:(?a)int (return a))");
    check("int f(a) register a; { }", "(func f:(?a)int (decl register a:int))");
}

#[test]
fn types_may_be_left_out() {
    check(
        "static a; const b = 1; c; *d;",
        "(decl static a:int)\n(decl b:const int = 1)\n(decl c:int)\n(decl d:*int)",
    );
}

#[test]
fn assertions() {
    check(
        "_Static_assert(sizeof(int) == 4, \"a\" \"b\");",
        "(static_assert (== (sizeof-type int) 4) \"ab\")",
    );
    check("_Static_assert(1);", "(static_assert 1 \"\")");
}

#[test]
fn nothing_is_a_unit() {
    check("", "");
    check(";;\n# 1 \"x\"\n", "");
}
