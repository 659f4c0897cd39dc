//! A task's description of itself, from which rubrics know whether and how they can score it.

use std::any::Any;
use std::sync::Arc;

/// The questions that a task asks, and the settings that rubrics need.
///
/// Rubrics never depend on the type of a task: tasks with the same description are scored in the same way, including
/// those of plugins.
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

/// The questions in the trials of a task's main phase.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asks {
    /// The task's own questions, by the keys of their answers.
    Own(Vec<Arc<str>>),
    /// The questions of the rubric, about one stimulus at a time.
    RubricQuestions(RatedStimuli),
}

/// The stimuli shown by a task that asks the questions of the rubric. The default is a single generated stimulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RatedStimuli {
    /// Whether real stimuli are judged as well.
    pub reals: bool,
    /// Whether the stimulus is shown next to the source of its item, in either order.
    pub beside_source: bool,
}

/// A detail of tasks that compare one model with each of the others, and these never with one another: its name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a name")]
pub struct ComparedWith(pub Arc<str>);

impl Default for Asks {
    /// No questions that a rubric could read.
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl Asks {
    /// Whether the task itself asks a question with this key.
    #[must_use]
    pub fn has(&self, question: &str) -> bool {
        matches!(self, Self::Own(keys) if keys.iter().any(|key| &**key == question))
    }
}

impl Description {
    /// Describes a task that asks its own questions, given the keys of their answers.
    #[must_use]
    pub fn asking<K: Into<Arc<str>>>(questions: impl IntoIterator<Item = K>) -> Self {
        Self { asks: Asks::Own(questions.into_iter().map(Into::into).collect()), details: Vec::new() }
    }

    /// Describes a task that asks the questions of the rubric about one stimulus at a time.
    #[must_use]
    pub const fn asking_the_rubric(shown: RatedStimuli) -> Self {
        Self { asks: Asks::RubricQuestions(shown), details: Vec::new() }
    }

    /// Adds a detail, which rubrics look up by its type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, detail: T) -> Self {
        self.details.push(Box::new(detail));
        self
    }

    /// Returns the questions that the task asks.
    #[must_use]
    pub const fn asks(&self) -> &Asks {
        &self.asks
    }

    /// The detail with a given type, if any.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.details.iter().find_map(|detail| detail.downcast_ref())
    }
}
