//! Programs for 32 bits: sizes, alignments and arithmetic of the i386 System V ABI.
//!
//! The expected text is written by hand from the ABI. Where the system's compiler can build for 32
//! bits, it has to agree.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::ir::DataModel;
use raddle_cfront::preprocess::Options;
use raddle_vm::{Machine, Outcome, Settings};

const HEADERS: &str = "#include <stdio.h>\n#include <limits.h>\n#include <stddef.h>\n\
    #include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n#include <pthread.h>\n\
    #include <semaphore.h>\n#include <time.h>\n\
    #define S(t) printf(\"%u/%u \", (unsigned)sizeof(t), (unsigned)_Alignof(t))\n\
    #define O(t, m) printf(\"%u \", (unsigned)offsetof(t, m))\n";

#[track_caller]
fn check(declarations: &str, statements: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    let text = format!("{HEADERS}{declarations}\nint main(void) {{ {statements} return 0; }}\n");
    std::fs::write(&file, text).unwrap();
    assert_eq!(on_machine(&file), expected, "on the machine");
    if let Some(output) = native(&file, folder.path()) {
        assert_eq!(output, expected, "as the compiler has it");
    }
}

fn on_machine(file: &Path) -> String {
    let options = Options { model: DataModel::Ilp32, ..Options::default() };
    let compiled = compile(&[file.to_owned()], &options).map_err(|error| error.to_string());
    let program = Arc::new(compiled.unwrap().program);
    let mut machine = Machine::new(program, &Settings::default()).unwrap();
    machine.run_default(&mut ());
    let output = String::from_utf8_lossy(machine.output()).into_owned();
    assert_eq!(machine.outcome(), Some(&Outcome::Exited(0)), "after {output:?}");
    output
}

/// What a 32-bit binary prints; none if the libraries for one are not there.
fn native(file: &Path, folder: &Path) -> Option<String> {
    let binary = folder.join("program");
    let compiled = Command::new("cc")
        .args(["-m32", "-std=gnu11", "-w", "-fwrapv", "-msse2", "-mfpmath=sse", "-pthread", "-o"])
        .args([&binary, file])
        .output()
        .unwrap();
    let output = compiled.status.success().then(|| Command::new(&binary).output().unwrap())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn scalars_have_the_sizes_of_the_abi() {
    check(
        "",
        "S(char); S(short); S(int); S(long); S(float); S(_Bool); S(void *); S(int (*)(void));
         S(size_t); S(ptrdiff_t); S(wchar_t); S(intptr_t); S(enum { E });",
        "1/1 2/2 4/4 4/4 4/4 1/1 4/4 4/4 4/4 4/4 4/4 4/4 4/4 ",
    );
}

#[test]
fn eight_bytes_are_aligned_to_four() {
    check("", "S(long long); S(double); S(int64_t); S(uint64_t);", "8/4 8/4 8/4 8/4 ");
}

#[test]
fn members_of_eight_bytes_are_aligned_to_four() {
    check(
        "struct a { char c; long long x; char d; };
         struct b { char c; double x; short s; };
         struct c { int i; struct a a; char c; };
         union u { char c[9]; double d; };",
        "S(struct a); O(struct a, x); O(struct a, d); S(struct b); O(struct b, s);
         S(struct c); O(struct c, a); O(struct c, c); S(union u);",
        "16/4 4 12 16/4 12 24/4 4 20 12/4 ",
    );
}

#[test]
fn pointers_and_longs_take_four_bytes_in_structures() {
    check(
        "struct list { struct list *next; long n; char name[3]; void (*f)(void); };",
        "S(struct list); O(struct list, n); O(struct list, name); O(struct list, f);",
        "16/4 4 8 12 ",
    );
}

#[test]
fn bit_fields_share_units() {
    check(
        "struct a { int x : 20; int y : 20; };
         struct b { long long x : 40; int y : 10; };
         struct c { char c; int x : 20; };
         struct d { long x : 3; char : 0; char y; };
         struct e { unsigned char a : 4, b : 4, c : 1; };",
        "S(struct a); S(struct b); S(struct c); S(struct d); O(struct d, y); S(struct e);",
        "8/4 8/4 4/4 4/4 1 2/1 ",
    );
}

#[test]
fn explicit_alignment_is_kept() {
    check(
        "struct a { char c; _Alignas(8) long long x; };
         struct b { char c; double d; } __attribute__((packed));
         struct c { char c; } __attribute__((aligned(16)));",
        "S(struct a); O(struct a, x); S(struct b); O(struct b, d); S(struct c);",
        "16/8 8 9/1 1 16/16 ",
    );
}

#[test]
fn limits_are_those_of_four_bytes() {
    check(
        "",
        "printf(\"%ld %ld %lu %d \", LONG_MAX, LONG_MIN, ULONG_MAX, LONG_MAX == INT_MAX);
         printf(\"%u %d %d \", (unsigned)SIZE_MAX, (int)PTRDIFF_MAX, (int)INTPTR_MIN);
         printf(\"%lld %llu\", LLONG_MIN, ULLONG_MAX);",
        "2147483647 -2147483648 4294967295 1 4294967295 2147483647 -2147483648 \
         -9223372036854775808 18446744073709551615",
    );
}

#[test]
fn longs_wrap_at_four_bytes() {
    check(
        "static long big = 2147483647l; static unsigned long most = 4294967295ul;",
        "big++; most++; printf(\"%ld %lu \", big, most);
         printf(\"%ld \", 65536l * 65536l + 5); printf(\"%lld \", 65536ll * 65536 + 5);
         printf(\"%lu \", ~0ul >> 31); long s = 1; s <<= 31; printf(\"%ld\", s);",
        "-2147483648 0 5 4294967301 1 -2147483648",
    );
}

#[test]
fn constants_have_the_first_type_that_holds_them() {
    check(
        "#define T(e) _Generic((e), int: 'i', unsigned: 'u', long: 'l', unsigned long: 'L', \\
            long long: 'x', unsigned long long: 'X')",
        "printf(\"%c%c%c%c%c%c%c%c\", T(2147483647), T(2147483648), T(0x80000000), T(0x100000000),
             T(1l), T(2147483648l), T(2147483648u), T(4294967296u));",
        "ixuxlxuX",
    );
}

#[test]
fn a_long_and_an_unsigned_make_an_unsigned_long() {
    check(
        "#define T(e) _Generic((e), int: 'i', unsigned: 'u', long: 'l', unsigned long: 'L', \\
            long long: 'x', unsigned long long: 'X')",
        "printf(\"%c%c%c%c \", T(1l + 1u), T(1l + 1), T(1ll + 1ul), T(sizeof 1));
         printf(\"%d %d \", -1l < 1u, -1ll < 1ul);
         printf(\"%c\", T((char *)0 - (char *)0));",
        "Llxu 0 1 i",
    );
}

#[test]
fn pointers_count_in_elements_and_fit_into_integers() {
    check(
        "static long a[10]; static double d[4];",
        "printf(\"%d %d %d \", (int)(&a[7] - &a[2]), (int)((char *)&a[7] - (char *)&a[2]),
             (int)((char *)&d[3] - (char *)d));
         printf(\"%d %d\", (int)(&a[2] - &a[7]), (long *)(uintptr_t)&a[3] == a + 3);",
        "5 20 24 -5 1",
    );
}

#[test]
fn variadic_arguments_take_four_or_eight_bytes() {
    check(
        "#include <stdarg.h>
         static long long sum(int n, ...) {
             va_list list; long long all = 0; va_start(list, n);
             for (int i = 0; i < n; i++)
                 all += i % 3 == 0 ? va_arg(list, int) : i % 3 == 1 ? va_arg(list, long long) : (long long)va_arg(list, double);
             va_end(list); return all;
         }",
        "printf(\"%lld %d %lld %s %ld %.1f\", sum(5, 1, 2ll << 40, 3.0, 4, 5ll), 7, 8ll << 33, \"s\", 9l, 1.5);",
        "2199023255565 7 68719476736 s 9 1.5",
    );
}

#[test]
fn long_longs_compute_in_eight_bytes() {
    check(
        "static long long a = 0x123456789abcdefll; static unsigned long long b = 97;",
        "printf(\"%lld %lld %llu %lld %d\", a / 1000, a % 1000, a * b, a >> 33, a > (long long)b << 32);",
        "81985529216486 895 7952596333999228815 9544371 1",
    );
}

#[test]
fn objects_of_threads_have_the_sizes_of_glibc() {
    check(
        "",
        "S(pthread_t); S(pthread_mutex_t); S(pthread_cond_t); S(pthread_rwlock_t);
         S(pthread_barrier_t); S(pthread_attr_t); S(sem_t); S(pthread_key_t); S(pthread_once_t);",
        "4/4 24/4 48/4 32/4 20/4 36/4 16/4 4/4 4/4 ",
    );
}

#[test]
fn threads_run_with_pointers_of_four_bytes() {
    check(
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static long n;
         static void *f(void *p) { pthread_mutex_lock(&m); n += *(long *)p; pthread_mutex_unlock(&m); return (void *)n; }",
        "pthread_t t[2]; long by[2] = {3, 4}; void *r[2];
         for (int i = 0; i < 2; i++) { pthread_create(&t[i], 0, f, &by[i]); pthread_join(t[i], &r[i]); }
         printf(\"%ld %ld %ld\", n, (long)r[0], (long)r[1]);",
        "7 3 7",
    );
}

#[test]
fn the_heap_and_strings_work() {
    check(
        "struct node { struct node *next; double value; };",
        "struct node *head = 0;
         for (int i = 0; i < 5; i++) { struct node *n = malloc(sizeof *n); n->next = head; n->value = i / 2.0; head = n; }
         double all = 0;
         while (head) { struct node *n = head; head = n->next; all += n->value; free(n); }
         char text[20]; snprintf(text, sizeof text, \"%.2f\", all); printf(\"%s %u\", text, (unsigned)strlen(text));",
        "5.00 4",
    );
}
