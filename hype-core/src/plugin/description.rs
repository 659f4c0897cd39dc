//! What a task says of itself, by which rubrics know whether and how they can score it.

use std::any::Any;
use std::sync::Arc;

/// What a task asks, and what scorers have to know of its settings.
///
/// A rubric never asks for a task by its type: whatever says the same of itself can be scored in the same way, a plugin's
/// task too.
///
/// # Examples
/// ```
/// use hype_core::Description;
///
/// struct Levels(u32);
///
/// let described = Description::asking(["choice"]).with(Levels(7));
/// assert!(described.asks().has("choice"));
/// assert_eq!(described.get::<Levels>().map(|levels| levels.0), Some(7));
/// assert!(described.get::<u32>().is_none());
/// ```
#[derive(Debug, Default)]
pub struct Description {
    asks: Asks,
    details: Vec<Box<dyn Any + Send + Sync>>,
}

/// What the trials of a task's main phase ask.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asks {
    /// Questions of the task's own, by the keys of their answers.
    Own(Vec<Arc<str>>),
    /// The questions of the rubric, about one stimulus at a time.
    RubricQuestions(RatedStimuli),
}

/// What a task shows that asks the questions of the rubric. The default is one generated stimulus by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RatedStimuli {
    /// Whether real stimuli are judged too.
    pub reals: bool,
    /// Whether the stimulus stands beside its item's source, in either order.
    pub beside_source: bool,
}

impl Default for Asks {
    /// Nothing that a rubric could read.
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl Asks {
    /// Whether the task asks a question of its own with this key.
    #[must_use]
    pub fn has(&self, question: &str) -> bool {
        matches!(self, Self::Own(keys) if keys.iter().any(|key| &**key == question))
    }
}

impl Description {
    /// A task that asks questions of its own, by the keys of their answers.
    #[must_use]
    pub fn asking<K: Into<Arc<str>>>(questions: impl IntoIterator<Item = K>) -> Self {
        Self { asks: Asks::Own(questions.into_iter().map(Into::into).collect()), details: Vec::new() }
    }

    /// A task that asks the questions of the rubric, about one stimulus at a time.
    #[must_use]
    pub const fn asking_the_rubric(shown: RatedStimuli) -> Self {
        Self { asks: Asks::RubricQuestions(shown), details: Vec::new() }
    }

    /// The same with a detail that scorers ask for by its type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, detail: T) -> Self {
        self.details.push(Box::new(detail));
        self
    }

    /// What the task asks.
    #[must_use]
    pub const fn asks(&self) -> &Asks {
        &self.asks
    }

    /// The detail of a type.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.details.iter().find_map(|detail| detail.downcast_ref())
    }
}
