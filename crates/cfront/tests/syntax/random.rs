//! No bytes and no tokens make the lexer or the parser panic.

use proptest::prelude::*;
use raddle_cfront::diagnostic::Error;
use raddle_cfront::parse;
use raddle_cfront::source::SourceMap;

/// Tokens that meet in odd places.
const SOUP: &str = "int char typedef struct union enum static const _Atomic unsigned void T a b \
    x ( ) { } [ ] ; , : ? = == + - * & && . -> ... ++ 1 2.5 0x1p3 'c' \"s\" L\"w\" if else for \
    while do switch case default goto return break sizeof typeof __attribute__ (( )) asm _Generic \
    __extension__ _Alignas __builtin_va_arg __builtin_offsetof _Static_assert __label__ ({ }) [[ \
    ]] @ # \\ \" ' /* register inline __auto_type";

/// Parses, and shows what is wrong, if anything is.
fn parse_and_show(text: &[u8]) {
    let Err(errors) = parse::unit(text, 0) else { return };
    let mut map = SourceMap::new();
    map.add("a.c", String::from_utf8_lossy(text).into_owned()).unwrap();
    assert!(!Error::diagnostics(&errors, &map).to_string().is_empty());
}

proptest! {
    #[test]
    fn bytes_do_not_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
        parse_and_show(&text);
    }

    #[test]
    fn tokens_do_not_panic(
        words in prop::collection::vec(prop::sample::select(SOUP.split_whitespace().collect::<Vec<_>>()), 0..60),
        separator in prop::sample::select(vec!["", " ", "\n"]),
    ) {
        let soup = words.join(separator);
        parse_and_show(soup.as_bytes());
        parse_and_show(format!("typedef int T; void f(void) {{ {soup} }}").as_bytes());
    }

    #[test]
    fn spans_lie_in_the_text(words in prop::collection::vec(prop::sample::select(SOUP.split_whitespace().collect::<Vec<_>>()), 0..60)) {
        let soup = words.join(" ");
        let base = 1000;
        for error in parse::unit(soup.as_bytes(), base).err().into_iter().flatten() {
            prop_assert!(error.span.start >= base && error.span.start <= error.span.end);
            prop_assert!(error.span.end <= base + soup.len() as u32);
        }
    }
}
