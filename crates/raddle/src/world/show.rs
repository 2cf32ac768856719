//! Values in stories.
//!
//! In: a value of any type. Out: its text, if its type is one of a list. A generic function cannot
//! ask whether a type is `Debug`, so values of locks are shown where they are numbers, truth values,
//! characters or text, and options and vectors of these. Others are left out. Of cells, only values that
//! own nothing are shown: what a cell has may have been moved out of it.

use std::any::TypeId;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Duration;

use super::{Here, Tale, What};

impl Here {
    /// Notes the value of a lock with the last step, if that is about the lock and the type is known.
    ///
    /// # Safety
    ///
    /// The value must be there, and no thread may write to it.
    #[inline]
    pub(crate) unsafe fn tell_data<T: ?Sized>(self, data: *const T) {
        if self.with(|world| world.tale.as_ref().is_some_and(|tale| tale.is_about_lock())) {
            // SAFETY: see above.
            if let Some(text) = unsafe { text_of(data) } {
                self.with(|world| world.tell_value(|| text));
            }
        }
    }
}

impl Here {
    /// The number of the last step, if steps are recorded.
    #[inline]
    pub(crate) fn last_told(self) -> Option<usize> {
        self.with(|world| world.tale.as_ref()?.steps.len().checked_sub(1))
    }

    /// Notes the value of a cell with a step that read or wrote it, if the type is known.
    ///
    /// # Safety
    ///
    /// The value must be there, and no thread may write to it.
    #[cold]
    pub(crate) unsafe fn tell_cell<T: ?Sized>(self, step: usize, data: *const T) {
        // SAFETY: see above.
        let text = unsafe { scalar_text(data) };
        self.with(|world| {
            let tale = world.tale.as_mut().filter(|_| !world.is_over);
            if let Some(step) = tale.and_then(|tale| tale.steps.get_mut(step)) {
                step.value = text;
            }
        });
    }
}

impl Tale {
    fn is_about_lock(&self) -> bool {
        use What::{Lock, ReadLock, TryLock, TryReadLock, Unlock, Wait, Wake};
        let last = self.steps.last().map(|step| step.what);
        matches!(last, Some(Lock | ReadLock | TryLock | TryReadLock | Unlock | Wait | Wake))
    }
}

macro_rules! known {
    ($id:ident, $data:ident: $($type:ty),*) => {
        $(if $id == TypeId::of::<$type>() {
            // SAFETY: the value is of this type, which has no lifetimes; it is there, says the caller.
            return Some(debug(unsafe { &*$data.cast::<$type>() }));
        })*
    };
}

/// The text of a value, if its type is known.
///
/// # Safety
///
/// The value must be there, and no thread may write to it.
#[cold]
unsafe fn text_of<T: ?Sized>(data: *const T) -> Option<String> {
    let id = id_of::<T>();
    macro_rules! more {
        ($($type:ty),*) => { known!(id, data: $(Vec<$type>),*); };
    }
    more!(bool, char, String, Duration, u8, u16, u32, u64, u128, usize);
    more!(i8, i16, i32, i64, i128, isize, f32, f64);
    known!(id, data: String, Option<String>);
    // SAFETY: see above.
    unsafe { scalar_text(data) }
}

/// The text of a value, if its type is known and owns nothing.
///
/// # Safety
///
/// As above.
#[cold]
unsafe fn scalar_text<T: ?Sized>(data: *const T) -> Option<String> {
    let id = id_of::<T>();
    macro_rules! plain {
        ($($type:ty),*) => { known!(id, data: $($type, Option<$type>),*); };
    }
    plain!(bool, char, Duration, u8, u16, u32, u64, u128, usize);
    plain!(i8, i16, i32, i64, i128, isize, f32, f64);
    None
}

fn debug(value: &dyn Debug) -> String {
    format!("{value:?}")
}

/// The identity of a type, whatever its lifetimes.
fn id_of<T: ?Sized>() -> TypeId {
    trait Identified {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Identified for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let phantom = PhantomData::<T>;
    let short: &dyn Identified = &phantom;
    // SAFETY: nothing is borrowed by a phantom, and lifetimes are no part of what is called.
    let long =
        unsafe { std::mem::transmute::<&dyn Identified, &(dyn Identified + 'static)>(short) };
    long.id()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T>(value: T) -> Option<String> {
        // SAFETY: the value is here.
        unsafe { text_of(&raw const value) }
    }

    #[test]
    fn values_of_known_types_have_a_text() {
        assert_eq!(text(7_u8).as_deref(), Some("7"));
        assert_eq!(text(Some(-1_i64)).as_deref(), Some("Some(-1)"));
        assert_eq!(text(vec!["a".to_owned()]).as_deref(), Some("[\"a\"]"));
    }

    #[test]
    fn of_cells_only_values_that_own_nothing_have_a_text() {
        let (number, text) = (Some(3_u16), "a".to_owned());
        // SAFETY: the values are here.
        let shown = unsafe { (scalar_text(&raw const number), scalar_text(&raw const text)) };
        assert_eq!(shown, (Some("Some(3)".to_owned()), None));
    }

    #[test]
    fn others_have_none() {
        struct Own;
        let here = 1;
        assert_eq!((text(Own), text(&here), text([1_u8; 2])), (None, None, None));
    }
}
