//! Views of backends, by type.

use std::any::{Any, TypeId};

use super::Backend;

/// A question to a backend for a value of a type that this crate does not know.
#[derive(Debug)]
pub struct View {
    wanted: TypeId,
    found: Option<Box<dyn Any>>,
}

impl View {
    /// Offers a value of a type. It is made if that type was asked for.
    pub fn offer<T: Any>(&mut self, make: impl FnOnce() -> T) {
        if self.wanted == TypeId::of::<T>() {
            self.found = Some(Box::new(make()));
        }
    }
}

/// Returns what a backend [shows](Backend::show) of a type; `None` if it has nothing of that type.
#[must_use]
pub fn view<T: Any>(backend: &dyn Backend) -> Option<T> {
    let mut view = View { wanted: TypeId::of::<T>(), found: None };
    backend.show(&mut view);
    view.found?.downcast().ok().map(|found| *found)
}
