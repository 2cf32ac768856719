//! Small programs as data, and the C that they are.
//!
//! Threads work on shared integers, locks, conditions and the like, and on registers of their own.
//! At the end `main` joins all threads and ends with a number that is made of what is left. The lines of thread
//! `i` are those from `1000 * (i + 1)` on, so the place of a failure says whose it is.

use std::fmt::Write;

pub const N_VARIABLES: usize = 3;
pub const N_REGISTERS: usize = 3;

/// The last lock is a spin lock; conditions go with the others.
pub const N_LOCKS: usize = 3;
pub const SPIN: usize = N_LOCKS - 1;

/// The lines of a thread.
pub const N_LINES: usize = 1000;

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
    /// The same, unless it stays taken for too long.
    TimedLock(usize, usize, Vec<Statement>),
    /// Takes one lock and tries the other one, and gives the first one back until it has both.
    Both(usize, usize, bool, Vec<Statement>),
    ReadLock(Vec<Statement>),
    WriteLock(Vec<Statement>),
    TryRead(usize, Vec<Statement>),
    TryWrite(usize, Vec<Statement>),
    Wait(Wait),
    Signal(usize),
    Broadcast(usize),
    SemWait,
    SemPost,
    /// The register says whether it was zero.
    SemTry(usize),
    /// The register says whether the wait ran out.
    SemTimed(usize),
    Barrier,
    Yield,
    Sleep,
    Hint,
    /// An input.
    Input(usize),
    /// Assumes that the register is not the number.
    Assume(usize, i32),
    /// So many times.
    For(u32, Vec<Statement>),
    /// Until it is left.
    Loop(Vec<Statement>),
    /// While the variable is not the number.
    While(usize, i32, Vec<Statement>),
    /// Until the sum of two loads is not zero.
    DoWhile(usize, usize),
    /// Looks at all variables, up to the first that is not zero.
    Scan(usize),
    If(usize, i32, Vec<Statement>),
    /// Leaves the innermost loop if the register is the number.
    BreakIf(usize, i32),
    Assert(usize, i32),
}

/// A wait on a condition, under a lock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    pub cond: usize,
    pub lock: usize,
    /// Whether it can run out, and which register says so.
    pub timed: Option<usize>,
    /// The variable and the number that it waits for, again and again; without them it waits once.
    pub until: Option<(usize, i32)>,
}

/// A program: what its threads do beside `main`.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub threads: Vec<Vec<Statement>>,
    /// Which variables are no atomics.
    pub plain: [bool; N_VARIABLES],
    /// Whether readers wait while a writer waits.
    pub writers_first: bool,
    /// Of the semaphore, at first.
    pub semaphore: u32,
    /// How many values inputs have, from 0 on.
    pub n_inputs: i32,
}

impl Program {
    /// The source, in C, without what every program begins with.
    pub fn source(&self) -> String {
        let mut text = String::from("# 1 \"program.c\"\n");
        for (v, &plain) in self.plain.iter().enumerate() {
            let kind = if plain { "int" } else { "atomic_int" };
            let _ = writeln!(text, "{kind} v{v};");
        }
        if self.plain == [false; N_VARIABLES] {
            text.push_str("atomic_int *all[] = {&v0, &v1, &v2};\n");
        }
        for (index, body) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "# {} \"program.c\"", N_LINES * (index + 1));
            let _ =
                writeln!(text, "int out{index}; void *t{index}(void *a) {{ int r[3] = {{0}}, n;");
            let input = if self.n_inputs == 2 { "bool" } else { "int" };
            Writer { input, depth: 0, text: &mut text }.block(body);
            let _ = writeln!(text, "out{index} = r[0] + 3 * r[1] + 5 * r[2]; return a; }}");
        }
        self.main(&mut text);
        text
    }

    fn main(&self, text: &mut String) {
        let (n, value) = (self.threads.len(), self.semaphore);
        let _ = writeln!(text, "# 1 \"main.c\"\nint main(void) {{ pthread_t t[{n}];");
        let _ = writeln!(text, "pthread_barrier_init(&b, 0, {n}); pthread_spin_init(&m{SPIN}, 0);");
        let _ = writeln!(text, "sem_init(&s, 0, {value});");
        if self.writers_first {
            text.push_str("pthread_rwlockattr_t k; pthread_rwlockattr_init(&k);\n");
            text.push_str("pthread_rwlockattr_setkind_np(&k, 2); pthread_rwlock_init(&w, &k);\n");
        }
        for index in 0..n {
            let _ = writeln!(text, "pthread_create(&t[{index}], 0, t{index}, 0);");
        }
        for index in 0..n {
            let _ = writeln!(text, "pthread_join(t[{index}], 0);");
        }
        text.push_str("return (v0 + 7 * v1 + 31 * v2");
        for index in 0..n {
            let _ = write!(text, " + {} * out{index}", 11 + 13 * index);
        }
        text.push_str(" & 0x7fffffff) % 241; }\n");
    }
}

/// What every program begins with.
pub const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n\
    #include <stdatomic.h>\n#include <time.h>\n#include <unistd.h>\n\
    pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER; pthread_spinlock_t m2;\n\
    pthread_cond_t c0 = PTHREAD_COND_INITIALIZER, c1 = PTHREAD_COND_INITIALIZER;\n\
    pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER; pthread_barrier_t b; sem_t s;\n\
    struct timespec soon = {1, 0};\n\
    int swap(atomic_int *v, int a, int b) { return atomic_compare_exchange_strong(v, &a, b); }\n\
    void __VERIFIER_assume(int); int __VERIFIER_nondet_int(void); _Bool __VERIFIER_nondet_bool(void);\n";

struct Writer<'a> {
    input: &'static str,
    depth: usize,
    text: &'a mut String,
}

impl Writer<'_> {
    fn block(&mut self, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn around(&mut self, head: &str, body: &[Statement], tail: &str) {
        self.put(head);
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
        self.put(tail);
    }

    fn statement(&mut self, statement: &Statement) {
        use Statement as S;
        let i = self.depth;
        match statement {
            S::Store(v, c) => self.put(&format!("v{v} = {c};")),
            S::Load(r, v) => self.put(&format!("r[{r}] = v{v};")),
            S::Add(v, c) => self.put(&format!("v{v} += {c};")),
            S::Exchange(r, v, a, b) => self.put(&format!("r[{r}] = swap(&v{v}, {a}, {b});")),
            S::Lock(m, body) => self.around(&lock(*m), body, &unlock(*m)),
            S::TryLock(r, m, body) => self.tried(*r, &trylock(*m), body, &unlock(*m)),
            S::TimedLock(r, m, body) => {
                let call = format!("pthread_mutex_timedlock(&m{m}, &soon)");
                self.tried(*r, &call, body, &unlock(*m));
            }
            S::Both(a, b, yields, body) => {
                let rest = if *yields { " sched_yield();" } else { "" };
                let (one, other) = (lock(*a), trylock(*b));
                let give = unlock(*a);
                let head = format!("for (;;) {{ {one} if ({other} == 0) break; {give}{rest} }}");
                self.around(&head, body, &format!("{} {give}", unlock(*b)));
            }
            S::ReadLock(body) => self.around("pthread_rwlock_rdlock(&w);", body, UNLOCK),
            S::WriteLock(body) => self.around("pthread_rwlock_wrlock(&w);", body, UNLOCK),
            S::TryRead(r, body) => self.tried(*r, "pthread_rwlock_tryrdlock(&w)", body, UNLOCK),
            S::TryWrite(r, body) => self.tried(*r, "pthread_rwlock_trywrlock(&w)", body, UNLOCK),
            S::Wait(wait) => self.wait(wait),
            S::Signal(c) => self.put(&format!("pthread_cond_signal(&c{c});")),
            S::Broadcast(c) => self.put(&format!("pthread_cond_broadcast(&c{c});")),
            S::SemWait => self.put("sem_wait(&s);"),
            S::SemPost => self.put("sem_post(&s);"),
            S::SemTry(r) => self.put(&format!("r[{r}] = sem_trywait(&s) != 0;")),
            S::SemTimed(r) => self.put(&format!("r[{r}] = sem_timedwait(&s, &soon) != 0;")),
            S::Barrier => self.put("pthread_barrier_wait(&b);"),
            S::Yield => self.put("sched_yield();"),
            S::Sleep => self.put("usleep(10);"),
            S::Hint => self.put("__asm__ volatile(\"pause\");"),
            S::Input(r) => self.put(&format!("r[{r}] = __VERIFIER_nondet_{}();", self.input)),
            S::Assume(r, c) => self.put(&format!("__VERIFIER_assume(r[{r}] != {c});")),
            S::For(n, body) => {
                self.around(&format!("for (int i{i} = 0; i{i} < {n}; i{i}++) {{"), body, "}");
            }
            S::Loop(body) => self.around("for (;;) {", body, "}"),
            S::While(v, c, body) => self.around(&format!("while (v{v} != {c}) {{"), body, "}"),
            S::DoWhile(v, w) => self.put(&format!("do {{ n = v{v}; n += v{w}; }} while (n == 0);")),
            S::Scan(r) => self.put(&format!(
                "for (int i{i} = 0; i{i} < {N_VARIABLES}; i{i}++) {{ r[{r}] = *all[i{i}]; if (r[{r}]) break; }}"
            )),
            S::If(r, c, body) => self.around(&format!("if (r[{r}] == {c}) {{"), body, "}"),
            S::BreakIf(r, c) => self.put(&format!("if (r[{r}] == {c}) break;")),
            S::Assert(r, c) => {
                let fails = "__assert_fail(\"r\", \"program.c\", 1, \"t\")";
                self.put(&format!("r[{r}] != {c} ? (void)0 : {fails};"));
            }
        }
    }

    fn tried(&mut self, register: usize, call: &str, body: &[Statement], give: &str) {
        let head = format!("r[{register}] = {call} == 0; if (r[{register}]) {{");
        self.around(&head, body, &format!("{give} }}"));
    }

    fn wait(&mut self, wait: &Wait) {
        let Wait { cond, lock, timed, until } = *wait;
        let again = until.map_or(String::new(), |(v, c)| format!("while (v{v} != {c}) "));
        let call = match timed {
            None => format!("pthread_cond_wait(&c{cond}, &m{lock});"),
            Some(r) => format!("r[{r}] = pthread_cond_timedwait(&c{cond}, &m{lock}, &soon) != 0;"),
        };
        self.put(&format!("{} {again}{call} {}", self::lock(lock), unlock(lock)));
    }
}

const UNLOCK: &str = "pthread_rwlock_unlock(&w);";

fn lock(m: usize) -> String {
    format!("pthread_{}_lock(&m{m});", if m == SPIN { "spin" } else { "mutex" })
}

fn unlock(m: usize) -> String {
    format!("pthread_{}_unlock(&m{m});", if m == SPIN { "spin" } else { "mutex" })
}

fn trylock(m: usize) -> String {
    format!("pthread_{}_trylock(&m{m})", if m == SPIN { "spin" } else { "mutex" })
}
