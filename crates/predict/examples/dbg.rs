use raddle_finding::ReadWitnessType;
use raddle_predict::*;
use raddle_trace::EventId as E;
fn main() {
    let t = raddle_trace::format::read(
        b"T0|r(y)|0\nT2|w(x)|0\nT2|rmw(x)|0\nT0|w(x)|0\nT0|r(x)|0\n",
        Default::default(),
    )
    .unwrap()
    .trace;
    for chop in [false, true] {
        for share in [false, true] {
            let c = Causes::with(&t, Settings { chop, share, ..Default::default() });
            let q = read_query(&t, E(4), Some(E(3)), Some(E(2)), ReadWitnessType::Overwritten);
            println!("{chop} {share} {:?}", answer(&c, &q));
        }
    }
}
