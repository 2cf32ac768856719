//! Values that each thread has for itself.

use std::cell::{Cell, RefCell};
use std::{error, fmt};

use crate::world::Here;

/// A thread-local value, like [`std::thread::LocalKey`]; declared by
/// [`thread_local!`](crate::thread_local).
pub struct LocalKey<T: 'static> {
    init: fn() -> T,
}

/// The value is gone, like [`std::thread::AccessError`]: the thread is ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl error::Error for AccessError {}

/// Declares thread-local values, like [`std::thread_local!`].
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = const $init:block
        $(; $($rest:tt)*)?) => {
        $crate::thread_local!($(#[$attribute])* $vis static $name: $type = $init);
        $($crate::thread_local!($($rest)*);)?
    };
    ($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = $init:expr
        $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $vis static $name: $crate::thread::LocalKey<$type> =
            $crate::thread::LocalKey::__new(|| $init);
        $($crate::thread_local!($($rest)*);)?
    };
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn __new(init: fn() -> T) -> LocalKey<T> {
        LocalKey { init }
    }

    /// Calls a function with this thread's value, which is initialised if necessary.
    #[track_caller]
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.try_with(f).expect("a thread-local value is used after it was dropped")
    }

    /// Like [`LocalKey::with`], unless the value is gone.
    #[track_caller]
    pub fn try_with<R>(&'static self, f: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        let here = Here::get();
        let value = match self.find(here) {
            Some(value) => value,
            None if here.with(|world| world.me().is_ending) => return Err(AccessError),
            None => self.make(here),
        };
        // SAFETY: the value is in a box of its own, which stays until the thread ends; only this
        // thread uses it, and there is no mutable reference.
        Ok(f(unsafe { &*value }))
    }

    fn find(&'static self, here: Here) -> Option<*const T> {
        let key = std::ptr::from_ref(self) as usize;
        here.with(|world| {
            let mut locals = world.me().locals.iter();
            let (_, value) = locals.find(|(other, _)| *other == key)?;
            value.downcast_ref::<T>().map(std::ptr::from_ref)
        })
    }

    fn make(&'static self, here: Here) -> *const T {
        let key = std::ptr::from_ref(self) as usize;
        let value = Box::new((self.init)());
        let pointer: *const T = &*value;
        here.with(|world| world.me().locals.push((key, value)));
        pointer
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Writes this thread's value.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// Reads this thread's value.
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes this thread's value, leaving the default one.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Writes this thread's value and returns the previous one.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Calls a function with this thread's value.
    #[track_caller]
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Calls a function that may change this thread's value.
    #[track_caller]
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Takes this thread's value, leaving the default one.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Writes this thread's value and returns the previous one.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}
