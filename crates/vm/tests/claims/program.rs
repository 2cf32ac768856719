//! Small programs as data, and the C that they are.
//!
//! Threads work on shared integers, locks, conditions and the like, and on registers of their own.
//! At the end `main` joins all threads and ends with a number that is made of what is left.

use std::fmt::Write;

pub const N_VARIABLES: usize = 3;
pub const N_REGISTERS: usize = 3;

/// What a thread does. `Load(r, v)` and the like begin with the register.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Store(usize, i32),
    Load(usize, usize),
    Add(usize, i32),
    /// `r = compare_exchange(v, a, b)`
    Exchange(usize, usize, i32, i32),
    Lock(usize, Vec<Statement>),
    /// If the lock is free: the body, under the lock. The register says whether it was.
    TryLock(usize, usize, Vec<Statement>),
    ReadLock(Vec<Statement>),
    WriteLock(Vec<Statement>),
    Wait(usize),
    /// The register says whether the wait ran out.
    TimedWait(usize, usize),
    Signal(usize),
    Broadcast(usize),
    SemWait,
    SemPost,
    /// The register says whether it was zero.
    SemTry(usize),
    Barrier,
    Yield,
    Sleep,
    /// So many times.
    For(u32, Vec<Statement>),
    /// While the variable is not the number.
    While(usize, i32, Vec<Statement>),
    /// Until the sum of two loads is not zero.
    DoWhile(usize, usize),
    If(usize, i32, Vec<Statement>),
    /// Leaves the innermost loop if the register is the number.
    BreakIf(usize, i32),
    Assert(usize, i32),
}

/// A program: what its threads do beside `main`.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub threads: Vec<Vec<Statement>>,
    /// Which variables are no atomics.
    pub plain: [bool; N_VARIABLES],
    /// Of the semaphore, at first.
    pub semaphore: u32,
}

impl Program {
    /// The source, in C.
    pub fn source(&self) -> String {
        let mut text = String::from(HEAD);
        for (v, &plain) in self.plain.iter().enumerate() {
            let kind = if plain { "int" } else { "atomic_int" };
            let _ = writeln!(text, "{kind} v{v};");
        }
        for (index, body) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "void *t{index}(void *unused) {{ int r[3] = {{0, 0, 0}}, n;");
            block(body, 0, &mut text);
            let _ = writeln!(text, "out[{index}] = r[0] + 3 * r[1] + 5 * r[2]; return unused; }}");
        }
        let n = self.threads.len();
        let _ = writeln!(text, "int main(void) {{ pthread_t t[{n}];");
        let _ = writeln!(
            text,
            "sem_init(&s, 0, {}); pthread_barrier_init(&b, 0, {n});",
            self.semaphore
        );
        for index in 0..n {
            let _ = writeln!(text, "pthread_create(&t[{index}], 0, t{index}, 0);");
        }
        for index in 0..n {
            let _ = writeln!(text, "pthread_join(t[{index}], 0);");
        }
        text.push_str("return (v0 + 7 * v1 + 31 * v2");
        for index in 0..n {
            let _ = write!(text, " + {} * out[{index}]", 11 + 13 * index);
        }
        text.push_str(" & 0x7fffffff) % 241; }\n");
        text
    }
}

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n\
    #include <stdatomic.h>\n#include <time.h>\n#include <unistd.h>\n\
    pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;\n\
    pthread_cond_t c0 = PTHREAD_COND_INITIALIZER, c1 = PTHREAD_COND_INITIALIZER;\n\
    pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER; pthread_barrier_t b; sem_t s;\n\
    int out[4]; struct timespec soon = {1, 0};\n";

fn block(body: &[Statement], depth: usize, text: &mut String) {
    body.iter().for_each(|statement| line(statement, depth, text));
}

fn line(statement: &Statement, depth: usize, text: &mut String) {
    use Statement as S;
    let mut put = |head: String, body: &[Statement], tail: &str| {
        text.push_str(&head);
        block(body, depth + 1, text);
        text.push_str(tail);
        text.push('\n');
    };
    match statement {
        S::Store(v, c) => put(format!("v{v} = {c};"), &[], ""),
        S::Load(r, v) => put(format!("r[{r}] = v{v};"), &[], ""),
        S::Add(v, c) => put(format!("v{v} += {c};"), &[], ""),
        S::Exchange(r, v, a, b) => put(
            format!("n = {a}; r[{r}] = atomic_compare_exchange_strong(&v{v}, &n, {b});"),
            &[],
            "",
        ),
        S::Lock(m, body) => put(
            format!("pthread_mutex_lock(&m{m});"),
            body,
            &format!("pthread_mutex_unlock(&m{m});"),
        ),
        S::TryLock(r, m, body) => put(
            format!("r[{r}] = pthread_mutex_trylock(&m{m}) == 0; if (r[{r}]) {{"),
            body,
            &format!("pthread_mutex_unlock(&m{m}); }}"),
        ),
        S::ReadLock(body) => {
            put("pthread_rwlock_rdlock(&w);".to_owned(), body, "pthread_rwlock_unlock(&w);")
        }
        S::WriteLock(body) => {
            put("pthread_rwlock_wrlock(&w);".to_owned(), body, "pthread_rwlock_unlock(&w);")
        }
        S::Wait(c) => put(
            format!(
                "pthread_mutex_lock(&m{c}); pthread_cond_wait(&c{c}, &m{c}); pthread_mutex_unlock(&m{c});"
            ),
            &[],
            "",
        ),
        S::TimedWait(r, c) => put(
            format!(
                "pthread_mutex_lock(&m{c}); r[{r}] = pthread_cond_timedwait(&c{c}, &m{c}, &soon) != 0; \
                 pthread_mutex_unlock(&m{c});"
            ),
            &[],
            "",
        ),
        S::Signal(c) => put(format!("pthread_cond_signal(&c{c});"), &[], ""),
        S::Broadcast(c) => put(format!("pthread_cond_broadcast(&c{c});"), &[], ""),
        S::SemWait => put("sem_wait(&s);".to_owned(), &[], ""),
        S::SemPost => put("sem_post(&s);".to_owned(), &[], ""),
        S::SemTry(r) => put(format!("r[{r}] = sem_trywait(&s) != 0;"), &[], ""),
        S::Barrier => put("pthread_barrier_wait(&b);".to_owned(), &[], ""),
        S::Yield => put("sched_yield();".to_owned(), &[], ""),
        S::Sleep => put("usleep(10);".to_owned(), &[], ""),
        S::For(n, body) => {
            put(format!("for (int i{depth} = 0; i{depth} < {n}; i{depth}++) {{"), body, "}")
        }
        S::While(v, c, body) => put(format!("while (v{v} != {c}) {{"), body, "}"),
        S::DoWhile(v, w) => put(format!("do {{ n = v{v}; n += v{w}; }} while (n == 0);"), &[], ""),
        S::If(r, c, body) => put(format!("if (r[{r}] == {c}) {{"), body, "}"),
        S::BreakIf(r, c) => put(format!("if (r[{r}] == {c}) break;"), &[], ""),
        S::Assert(r, c) => put(format!("assert(r[{r}] != {c});"), &[], ""),
    }
}
