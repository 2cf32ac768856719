//! Random programs of two threads beside main, with everything that is decided besides threads.

use fastrand::Rng;

/// The text of a program.
pub fn generate(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let mut body = |n: usize| (0..n).map(|_| statement(&mut random)).collect::<String>();
    let (a, b, main) = (body(4), body(4), body(2));
    format!(
        "static int x, y, many[40], waits; static atomic_int p;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         static int now(void) {{ struct timespec t; clock_gettime(CLOCK_REALTIME, &t);\n\
         return t.tv_nsec / 1000; }}\n\
         static void *a(void *q) {{ int i = 0;\n{a}return (void *)(long)i; }}\n\
         static void *b(void *q) {{ int i = 0;\n{b}return (void *)(long)i; }}\n\
         int main(void) {{ int i = 0; pthread_t s, t;\n\
         pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0);\n{main}\
         pthread_join(s, 0); pthread_join(t, 0); return i; }}\n"
    )
}

const STATEMENTS: [&str; 20] = [
    "x = 1;",
    "x = y + 2;",
    "y = x;",
    "y++;",
    "i = x + y;",
    "p++;",
    "i = p;",
    "p = x;",
    "assert(x != 1);",
    "assert(x != 2);",
    "if (p) assert(y == 0);",
    "for (int k = 0; k < 40; k++) i += many[k];",
    "for (int k = 0; k < 9; k++) many[k] = x;",
    "while (!p) {}",
    "while (!p) sched_yield();",
    "x = __VERIFIER_nondet_int(); y = x;",
    "x = now(); if (x & 1) y = 1;",
    "pthread_mutex_lock(&m); x++; y = x; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); waits = 1; pthread_cond_wait(&c, &m); y = 3;\n\
     pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_cond_signal(&c); x = 3; waits = 0;\n\
     pthread_mutex_unlock(&m);",
];

fn statement(random: &mut Rng) -> String {
    format!("{}\n", random.choice(&STATEMENTS).unwrap())
}
