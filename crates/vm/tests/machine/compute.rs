//! Transitions of one thread.

use raddle_cfront::ir::*;
use raddle_vm::Outcome;

use crate::machine::support::*;

#[test]
fn a_loop_adds_up() {
    let main = |code: &mut Code| {
        let (i, sum) = (code.value(0), code.value(0));
        let top = code.here();
        code.op(Op::Binary { op: Binary::Add, kind: Kind::I32, to: sum, left: sum, right: i });
        code.op(Op::BinaryConst { op: Binary::Add, kind: Kind::I32, to: i, left: i, right: 1 });
        let less = code.binary(Binary::Less, i, 10);
        code.op(Op::Branch { condition: less, yes: top, no: code.here() + 1 });
        code.ret(sum);
    };
    assert_eq!(Build::new(&[], main, vec![]).run(), Outcome::Exited(45));
}

#[test]
fn memory_keeps_what_is_stored() {
    returns(
        &["x"],
        |code| {
            let seven = code.value(7);
            code.store(0, seven);
            code.load(0)
        },
        7,
    );
}
