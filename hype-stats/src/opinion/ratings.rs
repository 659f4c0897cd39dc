//! Scores of stimuli by subjects, with missing cells and repetitions.

use crate::StatError;

const NAME: &str = "opinion scores";

#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    stimulus: usize,
    subject: usize,
    repetition: usize,
    score: f64,
}

/// Scores that arrive one by one, in any order.
///
/// Numbers of stimuli, subjects and repetitions are names: they need not start at 0 or follow
/// one another.
///
/// # Examples
///
/// ```
/// use hype_stats::opinion::RatingsBuilder;
/// let mut builder = RatingsBuilder::new();
/// builder.add(0, 7, 0, 4.0)?;
/// builder.add(0, 3, 0, 5.0)?;
/// let ratings = builder.build()?;
/// assert_eq!((ratings.stimuli(), ratings.subjects()), (&[0][..], &[3, 7][..]));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatingsBuilder {
    rows: Vec<Row>,
}

impl RatingsBuilder {
    /// Starts without scores.
    #[must_use]
    pub const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    /// Adds the score that a subject gave a stimulus in one of its repetitions.
    ///
    /// # Errors
    ///
    /// [`StatError::NotFinite`] for NaN or infinity.
    pub fn add(
        &mut self,
        stimulus: usize,
        subject: usize,
        repetition: usize,
        score: f64,
    ) -> Result<(), StatError> {
        if !score.is_finite() {
            return Err(StatError::NotFinite { statistic: NAME, index: self.rows.len(), got: score });
        }
        self.rows.push(Row { stimulus, subject, repetition, score });
        Ok(())
    }

    /// Number of scores added.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no score has been added.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Sorts the scores into a table, which does not depend on the order of their arrival.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] without scores, and [`StatError::Degenerate`] if two scores have the
    /// same stimulus, subject and repetition.
    pub fn build(self) -> Result<OpinionRatings, StatError> {
        let Self { mut rows } = self;
        if rows.is_empty() {
            return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "scores", got: 0 });
        }
        let key = |row: &Row| (row.stimulus, row.subject, row.repetition);
        rows.sort_unstable_by_key(key);
        if rows.windows(2).any(|pair| key(&pair[0]) == key(&pair[1])) {
            return Err(StatError::Degenerate {
                statistic: NAME,
                reason: "two scores have the same stimulus, subject and repetition",
            });
        }
        let distinct = |name: fn(&Row) -> usize| {
            let mut names: Vec<usize> = rows.iter().map(name).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let subjects = distinct(|row| row.subject);
        let repetitions = distinct(|row| row.repetition).len();
        let mut ratings = OpinionRatings {
            repetitions,
            stimuli: Vec::new(),
            ends: Vec::new(),
            places: Vec::with_capacity(rows.len()),
            scores: Vec::with_capacity(rows.len()),
            subjects,
        };
        for group in rows.chunk_by(|left, right| left.stimulus == right.stimulus) {
            for row in group {
                // Every subject of a row is among the names collected from the rows.
                ratings.places.push(ratings.subjects.partition_point(|&name| name < row.subject));
                ratings.scores.push(row.score);
            }
            ratings.stimuli.push(group[0].stimulus);
            ratings.ends.push(ratings.scores.len());
        }
        Ok(ratings)
    }
}

/// A table of scores, stimuli × subjects × repetitions, with any missing cells.
#[derive(Debug, Clone, PartialEq)]
pub struct OpinionRatings {
    stimuli: Vec<usize>,
    subjects: Vec<usize>,
    repetitions: usize,
    /// The end of the scores of each stimulus.
    ends: Vec<usize>,
    /// Position of the subject of each score among the subjects.
    places: Vec<usize>,
    scores: Vec<f64>,
}

impl OpinionRatings {
    /// Creates a table from a matrix of single scores, one row for each stimulus, with `None` in
    /// empty cells.
    ///
    /// Stimuli and subjects are numbered from 0; those without a score are not in the table.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] if there are not stimuli × subjects cells, [`StatError::NotFinite`]
    /// for NaN or infinity, and [`StatError::TooFew`] without scores.
    pub fn from_matrix(stimuli: usize, subjects: usize, cells: &[Option<f64>]) -> Result<Self, StatError> {
        if stimuli.checked_mul(subjects) != Some(cells.len()) {
            return Err(StatError::Lengths {
                statistic: NAME,
                left: cells.len(),
                right: stimuli.saturating_mul(subjects),
            });
        }
        let mut builder = RatingsBuilder::new();
        for (place, score) in cells.iter().enumerate() {
            if let Some(score) = *score {
                builder.add(place / subjects, place % subjects, 0, score)?;
            }
        }
        builder.build()
    }

    /// Names of the stimuli, ascending.
    #[must_use]
    pub fn stimuli(&self) -> &[usize] {
        &self.stimuli
    }

    /// Names of the subjects, ascending.
    #[must_use]
    pub fn subjects(&self) -> &[usize] {
        &self.subjects
    }

    /// Number of repetitions in the design, that is, of distinct names of repetitions.
    #[must_use]
    pub const fn repetitions(&self) -> usize {
        self.repetitions
    }

    /// Number of scores.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.scores.len()
    }

    /// Always false: a table of this type has scores.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// Omits subjects by name, and the stimuli that only they scored.
    ///
    /// The number of repetitions stays that of the design. Unknown names are ignored.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] if no score is left.
    pub fn without_subjects(&self, names: &[usize]) -> Result<Self, StatError> {
        let dropped: Vec<bool> = self.subjects.iter().map(|name| names.contains(name)).collect();
        self.without(&dropped)
    }

    /// Omits the subjects at the positions that are set.
    pub(super) fn without(&self, dropped: &[bool]) -> Result<Self, StatError> {
        let mut moved = Vec::with_capacity(dropped.len());
        let mut remaining = Self {
            repetitions: self.repetitions,
            stimuli: Vec::new(),
            subjects: Vec::new(),
            ends: Vec::new(),
            places: Vec::new(),
            scores: Vec::new(),
        };
        for (&name, &dropped) in self.subjects.iter().zip(dropped) {
            moved.push(remaining.subjects.len());
            if !dropped {
                remaining.subjects.push(name);
            }
        }
        for (stimulus, (places, scores)) in self.stimuli.iter().zip(self.by_stimulus()) {
            let before = remaining.scores.len();
            for (&place, &score) in places.iter().zip(scores) {
                if !dropped[place] {
                    remaining.places.push(moved[place]);
                    remaining.scores.push(score);
                }
            }
            if remaining.scores.len() > before {
                remaining.stimuli.push(*stimulus);
                remaining.ends.push(remaining.scores.len());
            }
        }
        if remaining.scores.is_empty() {
            return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "scores", got: 0 });
        }
        Ok(remaining)
    }

    /// The positions of subjects and the scores of each stimulus, in the order of
    /// [`Self::stimuli`].
    pub(super) fn by_stimulus(&self) -> impl Iterator<Item = (&[usize], &[f64])> {
        self.ends.iter().scan(0, |start, &end| {
            let range = *start..end;
            *start = end;
            Some((&self.places[range.clone()], &self.scores[range]))
        })
    }

    /// The same cells with scores computed by a function of the subject's position and the old
    /// score.
    pub(super) fn with_scores(&self, score: impl Fn(usize, f64) -> f64) -> Self {
        let mut changed = self.clone();
        for (old, &place) in changed.scores.iter_mut().zip(&self.places) {
            *old = score(place, *old);
        }
        changed
    }

    /// Number of scores of each subject, in the order of [`Self::subjects`].
    pub(super) fn subject_counts(&self) -> Vec<f64> {
        self.total_by_subject(|_| 1.0)
    }

    /// Σ of a term of each score, by subject.
    pub(super) fn total_by_subject(&self, term: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut totals = vec![0.0; self.subjects.len()];
        for (row, &place) in self.places.iter().enumerate() {
            totals[place] += term(row);
        }
        totals
    }

    /// The scores, by stimulus and within it by subject and repetition.
    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Position of the subject of each score.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }
}
