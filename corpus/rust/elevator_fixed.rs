/* elevator_fixed: passengers press buttons and wait, a controller clears those that it served.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const N_FLOORS: usize = 3;
const N_PASSENGERS: u32 = 2;

#[derive(Default)]
struct State {
    /// A bit per floor.
    buttons: u32,
    n_served: u32,
}

struct Elevator {
    state: Mutex<State>,
    pressed: Condvar,
    arrived: Condvar,
    stops: [AtomicU32; N_FLOORS],
}

impl Elevator {
    fn ride(&self, floor: usize) {
        let button = 1 << floor;
        let mut state = self.state.lock().unwrap();
        state.buttons |= button;
        self.pressed.notify_one();
        while state.buttons & button != 0 {
            state = self.arrived.wait(state).unwrap();
        }
        assert!(self.stops[floor].load(Ordering::SeqCst) > 0);
        state.n_served += 1;
    }

    /// Goes to all floors that were asked for; the mutex is free while the elevator moves.
    fn go_round(&self) -> u32 {
        let mut state = self.state.lock().unwrap();
        while state.buttons == 0 {
            state = self.pressed.wait(state).unwrap();
        }
        let wanted = state.buttons;
        drop(state);
        for (floor, stop) in self.stops.iter().enumerate() {
            if wanted & (1 << floor) != 0 {
                stop.fetch_add(1, Ordering::SeqCst);
            }
        }
        let mut state = self.state.lock().unwrap();
        state.buttons &= !wanted;
        self.arrived.notify_all();
        wanted.count_ones()
    }
}

fn main() {
    let elevator = Arc::new(Elevator {
        state: Mutex::new(State::default()),
        pressed: Condvar::new(),
        arrived: Condvar::new(),
        stops: core::array::from_fn(|_| AtomicU32::new(0)),
    });
    let start = |floor: usize| {
        let elevator = Arc::clone(&elevator);
        thread::spawn(move || elevator.ride(floor))
    };
    let (ann, ben) = (start(1), start(2));
    let mut n_stops = 0;
    while n_stops < N_PASSENGERS {
        n_stops += elevator.go_round();
    }
    ann.join().unwrap();
    ben.join().unwrap();
    assert_eq!(elevator.state.lock().unwrap().n_served, N_PASSENGERS);
}
