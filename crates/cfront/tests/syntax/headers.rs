//! The system's headers, preprocessed with its compiler.

use std::fs;

use raddle_cfront::diagnostic::Error;
use raddle_cfront::ir::DataModel;
use raddle_cfront::parse;
use raddle_cfront::preprocess::{Options, preprocess};
use raddle_cfront::source::SourceMap;

const HEADERS: &str = "assert.h ctype.h errno.h fcntl.h float.h inttypes.h iso646.h limits.h \
    locale.h math.h netdb.h netinet/in.h poll.h pthread.h sched.h semaphore.h setjmp.h signal.h \
    stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h \
    string.h strings.h sys/mman.h sys/resource.h sys/select.h sys/socket.h sys/stat.h sys/time.h \
    sys/types.h sys/wait.h threads.h time.h unistd.h wchar.h";

#[track_caller]
fn check(source: &str, model: DataModel) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("headers.c");
    fs::write(&path, source).unwrap();
    let options = Options { model, ..Options::default() };
    let text = preprocess(&path, &options, &[]).unwrap();
    let mut map = SourceMap::new();
    let base = map.add("headers.c", text.clone()).unwrap();
    if let Err(errors) = parse::unit(text.as_bytes(), base) {
        panic!("{}", Error::diagnostics(&errors, &map));
    }
}

#[test]
fn the_headers_of_the_system_parse() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let includes = HEADERS.split_whitespace().map(|name| format!("#include <{name}>\n"));
        check(&format!("#define _GNU_SOURCE\n{}", includes.collect::<String>()), model);
    }
}

#[test]
fn programs_that_use_their_macros_parse() {
    check(
        "#include <assert.h>\n#include <stdatomic.h>\n#include <stdarg.h>\n#include <pthread.h>\n\
         #include <stddef.h>\n#include <stdio.h>\n#include <errno.h>\n#include <sys/select.h>\n\
         struct s { int a; _Atomic int b; };\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *run(void *p) { struct s *s = p; assert(s && offsetof(struct s, b) == 4);\n\
         atomic_fetch_add_explicit(&s->b, 1, memory_order_relaxed); atomic_store(&s->b, 2);\n\
         pthread_cleanup_push(free, p); pthread_cleanup_pop(1);\n\
         fd_set set; FD_ZERO(&set); errno = 0; return NULL; }\n\
         int sum(int n, ...) { va_list l; va_start(l, n); int a = va_arg(l, int); va_end(l);\n\
         return a; }\n",
        DataModel::Lp64,
    );
}
