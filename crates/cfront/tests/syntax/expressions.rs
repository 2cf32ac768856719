//! Expressions.

use super::{check, check_expr};

#[test]
fn operators_bind_as_in_c() {
    check_expr("a + b * c - d", "(- (+ a (* b c)) d)");
    check_expr(
        "a || b && c | d ^ e & f == g < h << i + j * k",
        "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))))",
    );
    check_expr(
        "a * b + c << d < e == f & g ^ h | i && j || k",
        "(|| (&& (| (^ (& (== (< (<< (+ (* a b) c) d) e) f) g) h) i) j) k)",
    );
    check_expr("a - b - c", "(- (- a b) c)");
    check_expr("a - (b - c)", "(- a (- b c))");
    check_expr("a % b / c", "(/ (% a b) c)");
    check_expr("a != b >= c > d <= e >> f", "(!= a (<= (> (>= b c) d) (>> e f)))");
}

#[test]
fn assignments_and_conditions_group_to_the_right() {
    check_expr("a = b = c", "(= a (= b c))");
    check_expr("a += b <<= c", "(+= a (<<= b c))");
    check_expr("a ? b : c ? d : e", "(? a b (? c d e))");
    check_expr("a ? b ? c : d : e", "(? a (? b c d) e)");
    check_expr("a ?: b ?: c", "(?: a (?: b c))");
    check_expr("a ? b, c : d", "(? a (, b c) d)");
    check_expr("x = a ? b : c", "(= x (? a b c))");
    check_expr("a, b, c", "(, (, a b) c)");
}

#[test]
fn unary_and_postfix_operators() {
    check_expr("-a++", "(- (post++ a))");
    check_expr("--*a", "(pre-- (* a))");
    check_expr("!~+a", "(! (~ (+ a)))");
    check_expr("*&a[1].b->c", "(* (& (-> (. (index a 1) b) c)))");
    check_expr("f(a, (b, c))(d)", "(call (call f a (, b c)) d)");
    check_expr("f()", "(call f)");
    check_expr("a & & b", "(& a (& b))");
    check_expr("__extension__ a + b", "(+ a b)");
}

#[test]
fn sizes_and_alignments() {
    check_expr("sizeof a + 1", "(+ (sizeof a) 1)");
    check_expr("sizeof(a) + 1", "(+ (sizeof a) 1)");
    check_expr("sizeof(int) + 1", "(+ (sizeof-type int) 1)");
    check_expr("sizeof(a)[0].b", "(sizeof (. (index a 0) b))");
    check_expr("sizeof(int){1}", "(sizeof (literal int {1}))");
    check_expr("sizeof -a", "(sizeof (- a))");
    check_expr("_Alignof(long) + __alignof__ a", "(+ (alignof-type long) (alignof a))");
}

#[test]
fn casts_and_literals() {
    check_expr("(int) a + b", "(+ (cast int a) b)");
    check_expr("(char *) (int) -a", "(cast *char (cast int (- a)))");
    check_expr("(int[]){1, 2}[0]", "(index (literal []int {1 2}) 0)");
    check_expr("(struct s){.x = 1}.x", "(. (literal struct s {.x=1}) x)");
    check_expr("&(int){0}", "(& (literal int {0}))");
    check_expr("(void (*)(int)) a", "(cast *(:int)void a)");
    check_expr("(int (*(*)(void))[3]) a", "(cast *()*[3]int a)");
    check_expr("(int (int)) a", "(cast (:int)int a)");
    check_expr("(a) - b", "(- a b)");
}

#[test]
fn constants() {
    check_expr("1 + 2ul + 0x1fLL", "(+ (+ 1 2ul) 31ll)");
    check_expr("1.5f + 2.", "(+ 1.5float 2.0)");
    check_expr("'a' + L'b' + '\\0'", "(+ (+ c97 Lc98) c0)");
    check_expr("\"a\" \"b\\n\"", "\"ab\\n\"");
    check_expr("\"a\" L\"b\"", "L\"ab\"");
    check_expr("u8\"x\"", "u8\"x\"");
}

#[test]
fn extensions_that_take_types() {
    check_expr("__builtin_va_arg(ap, char *)", "(va_arg ap *char)");
    check_expr("__builtin_offsetof(struct s, a.b[2].c)", "(offsetof struct s .a.b[2].c)");
    check_expr("__builtin_types_compatible_p(int, long *)", "(compatible int *long)");
    check_expr("__builtin_choose_expr(1, a, b)", "(choose 1 a b)");
    check_expr("_Generic(a, int: 1, char *: b, default: 2)", "(generic a int:1 *char:b default:2)");
    check_expr("__builtin_expect(a, 0)", "(call __builtin_expect a 0)");
    check_expr("&&out", "(&& out)");
}

#[test]
fn statement_expressions() {
    check_expr("a = ({ int b = 1; b; })", "(= a (do (decl b:int = 1) b))");
    check_expr("({ ; })", "(do ())");
}

#[test]
fn initialisers() {
    check("int a[] = {1, 2, };", "(decl a:[]int = {1 2})");
    check("int a[2] = {};", "(decl a:[2]int = {})");
    check("struct s a = {.x = {1}, .y[2].z = 3};", "(decl a:struct s = {.x={1} .y[2].z=3})");
    check("int a[] = {[0] = 1, [1 ... 3] = 2};", "(decl a:[]int = {[0]=1 [1..3]=2})");
    check("struct s a = {x: 1, y: 2};", "(decl a:struct s = {.x=1 .y=2})");
    check("int a[] = {[0] 1, [1 ... 3] 2};", "(decl a:[]int = {[0]=1 [1..3]=2})");
    check("int a = (b, c), d = 2;", "(decl a:int = (, b c) d:int = 2)");
}
