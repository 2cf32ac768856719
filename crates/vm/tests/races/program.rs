//! Random programs of two or three threads that share plain and atomic variables and locks.

use fastrand::Rng;

const ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

/// The text of a program.
pub fn generate(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let n_workers = random.usize(1..=2);
    let n_statements = if n_workers == 1 { 2..6 } else { 1..4 };
    let mut text = String::from(
        "static int x, y, *h;\nstatic atomic_int p, q;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;\nstatic sem_t s;\n",
    );
    let (give, take) = *random.choice(&PASSAGES).unwrap();
    let mut bodies = Vec::new();
    for _ in 0..=n_workers {
        let n = random.usize(n_statements.clone());
        bodies.push(match random.u8(..3) {
            0 => sender(&mut random, give),
            1 => receiver(&mut random, take),
            _ => (0..n).map(|_| statement(&mut random, true)).collect::<String>(),
        });
    }
    for (number, body) in bodies[1..].iter().enumerate() {
        let head = format!("static void *work{number}(void *a) {{\nint i = 0; (void)i;\n");
        text += &format!("{head}{body}return a; }}\n");
    }
    text += "int main(void) {\nint i = 0; (void)i;\npthread_t t[2];\n\
        h = malloc(8); h[0] = h[1] = 0; sem_init(&s, 0, 0);\n";
    for number in 0..n_workers {
        text += &format!("pthread_create(&t[{number}], 0, work{number}, 0);\n");
    }
    text += &bodies[0];
    for number in 0..n_workers {
        text += &format!("pthread_join(t[{number}], 0);\n");
    }
    text + &statement(&mut random, false) + "return 0; }\n"
}

/// Accesses something, synchronises, and says so without synchronising by that.
fn sender(random: &mut Rng, give: &str) -> String {
    let says = "atomic_store_explicit(&p, 1, memory_order_relaxed);";
    format!("{}\n{give}\n{says}\n", random.choice(&SHARED).unwrap())
}

/// Synchronises, and accesses something if it is told so: whether that is ordered depends on who
/// was where first, and the state does not tell.
fn receiver(random: &mut Rng, take: &str) -> String {
    let asks = "if (atomic_load_explicit(&p, memory_order_relaxed))";
    format!("{take}\n{asks}\n{}\n", random.choice(&SHARED).unwrap())
}

const SHARED: [&str; 4] = ["x = 1;", "i = x;", "((char *)&x)[1] = 1;", "memset(&x, 0, 4);"];

const LOCK: &str = "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);";
const READ: &str = "pthread_rwlock_rdlock(&r); pthread_rwlock_unlock(&r);";
const WRITE: &str = "pthread_rwlock_wrlock(&r); pthread_rwlock_unlock(&r);";

/// What gives, and what takes: most of them order those who come there one after the other.
const PASSAGES: [(&str, &str); 10] = [
    (LOCK, LOCK),
    (READ, WRITE),
    (WRITE, READ),
    (READ, READ),
    ("sem_post(&s);", "sem_trywait(&s);"),
    ("atomic_fetch_or(&q, 1);", "atomic_fetch_or(&q, 1);"),
    ("atomic_fetch_or_explicit(&q, 0, memory_order_release);", "i = q;"),
    (
        "atomic_thread_fence(memory_order_release); \
         atomic_fetch_or_explicit(&q, 0, memory_order_relaxed);",
        "i = atomic_load_explicit(&q, memory_order_relaxed); i = 0; \
         atomic_thread_fence(memory_order_acquire);",
    ),
    (
        "q = 0; atomic_store_explicit(&q, 0, memory_order_relaxed);",
        "i = atomic_load_explicit(&q, memory_order_acquire);",
    ),
    // Ordered by C11 only.
    (
        "q = 1; atomic_store_explicit(&q, 2, memory_order_relaxed);",
        "if (atomic_load_explicit(&q, memory_order_acquire) != 2) return 0;",
    ),
];

/// One statement, or a lock around one or two.
fn statement(random: &mut Rng, nests: bool) -> String {
    let p = *random.choice(&["p", "q"]).unwrap();
    match random.u8(..if nests { 18 } else { 13 }) {
        0..=4 => plain(random),
        5 => {
            let order = random.choice(&["relaxed", "release", "seq_cst"]).unwrap();
            format!("atomic_store_explicit(&{p}, 1, memory_order_{order});\n")
        }
        6 | 7 => format!("i = {};\n", load(random, p)),
        8 => {
            let order = random.choice(&ORDERS).unwrap();
            format!("atomic_fetch_add_explicit(&{p}, 1, memory_order_{order});\n")
        }
        9 => {
            let order = random.choice(&ORDERS).unwrap();
            format!(
                "i = 0; atomic_compare_exchange_strong_explicit(&{p}, &i, 2, \
                 memory_order_{order}, memory_order_relaxed);\n"
            )
        }
        10 => format!("atomic_thread_fence(memory_order_{});\n", random.choice(&ORDERS).unwrap()),
        11 => "sem_post(&s);\n".to_owned(),
        12 => "sem_trywait(&s);\n".to_owned(),
        13 | 14 => format!("if ({})\n{}", load(random, p), plain(random)),
        15 => {
            let lock = random.choice(&["m", "n"]).unwrap();
            let inner = plain(random) + &statement(random, false);
            format!("pthread_mutex_lock(&{lock});\n{inner}pthread_mutex_unlock(&{lock});\n")
        }
        16 => {
            let inner = plain(random);
            format!("pthread_mutex_lock(&m);\n{inner}pthread_mutex_unlock(&m);\n")
        }
        _ => {
            let kind = random.choice(&["rd", "wr"]).unwrap();
            let inner = plain(random);
            format!("pthread_rwlock_{kind}lock(&r);\n{inner}pthread_rwlock_unlock(&r);\n")
        }
    }
}

fn load(random: &mut Rng, p: &str) -> String {
    let order = random.choice(&["relaxed", "acquire", "seq_cst"]).unwrap();
    format!("atomic_load_explicit(&{p}, memory_order_{order})")
}

/// An access to plain memory, to an atomic as if it were plain, or by a library function.
fn plain(random: &mut Rng) -> String {
    let statements = [
        "x = 1;",
        "x = 2;",
        "i = x;",
        "i = x;",
        "y = 1;",
        "i = y;",
        "y++;",
        "h[1] = 3;",
        "i = *h;",
        "((char *)&x)[2] = 1;",
        "i = ((short *)&x)[1];",
        "*(int *)&p = 3;",
        "i = *(int *)&q;",
        "memset(h, 0, 8);",
        "free(h);",
    ];
    format!("{}\n", random.choice(&statements).unwrap())
}
