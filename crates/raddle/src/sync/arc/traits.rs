//! What counted references have in common with their values.

use std::any::Any;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc as StdArc;

use super::Arc;

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: Default> Default for Arc<T> {
    fn default() -> Arc<T> {
        Arc::new(T::default())
    }
}

impl<T: ?Sized> From<StdArc<T>> for Arc<T> {
    fn from(value: StdArc<T>) -> Arc<T> {
        Arc::from_std(value)
    }
}

macro_rules! from {
    ($([$($generics:tt)*] $from:ty => $to:ty,)*) => {
        $(impl<$($generics)*> From<$from> for Arc<$to> {
            fn from(value: $from) -> Arc<$to> {
                Arc::from_std(StdArc::from(value))
            }
        })*
    };
}

from! {
    [T] T => T,
    [T: ?Sized] Box<T> => T,
    [] &str => str,
    [] String => str,
    [T: Clone] &[T] => [T],
    [T] Vec<T> => [T],
    [T, const N: usize] [T; N] => [T],
}

impl<T> FromIterator<T> for Arc<[T]> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Arc<[T]> {
        Arc::from_std(StdArc::from_iter(values))
    }
}

impl Arc<dyn Any + Send + Sync> {
    /// A reference to a value of this type, if it is one.
    pub fn downcast<T: Any + Send + Sync>(self) -> Result<Arc<T>, Arc<dyn Any + Send + Sync>> {
        self.into_std().downcast().map(Arc::from_std).map_err(Arc::from_std)
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Arc<T>) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Arc<T>) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Arc<T>) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Pointer for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&Arc::as_ptr(self), f)
    }
}

impl<T: ?Sized + Error> Error for Arc<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }
}
