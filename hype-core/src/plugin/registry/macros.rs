//! The macros by which plugins register.

/// Registers a [`Task`](crate::Task) under a kind, so that YAML can name it.
///
/// # Examples
/// ```text
/// register_task!(HypeTime, "hype_time",
///     summary = "A perceptual threshold in milliseconds",
///     citation = "Zhou et al. 2019, HYPE, NeurIPS",
///     example = "{ kind: hype_time, blocks: 3 }");
/// ```
#[macro_export]
macro_rules! register_task {
    ($type:ty, $kind:tt, summary = $summary:expr, citation = $citation:expr, example = $example:expr $(,)?) => {
        const _: () = {
            use $crate::__private::typetag;

            #[typetag::serde(name = $kind)]
            impl $crate::ErasedTask for $type {
                fn version(&self) -> u32 {
                    <Self as $crate::Task>::VERSION
                }
                fn check(&self, design: &$crate::Design<'_>, at: &mut $crate::Diagnostics) {
                    $crate::Task::check(self, design, at);
                }
                fn check_raters(&self, design: &$crate::Design<'_>, at: &mut $crate::Diagnostics) {
                    $crate::Task::check_raters(self, design, at);
                }
                fn start(
                    &self,
                    inputs: &$crate::Inputs<'_>,
                    chance: &$crate::Streams,
                ) -> ::core::result::Result<::std::boxed::Box<dyn $crate::Machine>, $crate::StartError>
                {
                    $crate::__private::start_typed(self, inputs, chance)
                }
                fn trials_at_most(&self, design: &$crate::Design<'_>) -> u32 {
                    $crate::Task::trials_at_most(self, design)
                }
                fn rubric(&self) -> ::std::boxed::Box<dyn $crate::ErasedRubric> {
                    $crate::Task::rubric(self)
                }
                fn aggregator(&self) -> ::std::boxed::Box<dyn $crate::ErasedAggregator> {
                    $crate::Task::aggregator(self)
                }
                fn raters(&self) -> $crate::Raters {
                    $crate::Task::raters(self)
                }
                fn effort(&self, design: &$crate::Design<'_>) -> ::core::option::Option<$crate::Effort> {
                    $crate::Task::effort(self, design)
                }
                fn facts(&self, design: &$crate::Design<'_>) -> ::std::vec::Vec<$crate::Fact> {
                    $crate::Task::facts(self, design)
                }
                fn pace(&self) -> $crate::plugin::task::Pace {
                    $crate::Task::pace(self)
                }
                fn sessions_by_item(&self, design: &$crate::Design<'_>) -> u32 {
                    $crate::Task::sessions_by_item(self, design)
                }
                fn units(&self, inputs: &$crate::Inputs<'_>) -> ::std::vec::Vec<u64> {
                    $crate::Task::units(self, inputs)
                }
                fn guidance(
                    &self,
                    design: &$crate::Design<'_>,
                ) -> ::core::option::Option<::std::sync::Arc<str>> {
                    $crate::Task::guidance(self, design)
                }
                fn checks(
                    &self,
                    session: &$crate::SessionRecord,
                    stimuli: &$crate::Stimuli,
                ) -> ::std::vec::Vec<$crate::Check> {
                    $crate::Task::checks(self, session, stimuli)
                }
                fn learns(&self) -> bool {
                    $crate::Task::learns(self)
                }
                fn learn(
                    &self,
                    briefing: &mut $crate::__private::Value,
                    session: &$crate::SessionRecord,
                    stimuli: &$crate::Stimuli,
                ) {
                    $crate::Task::learn(self, briefing, session, stimuli);
                }
                fn boxed_clone(&self) -> ::std::boxed::Box<dyn $crate::ErasedTask> {
                    ::std::boxed::Box::new(::core::clone::Clone::clone(self))
                }
                fn as_any(&self) -> &dyn ::core::any::Any {
                    self
                }
            }

            $crate::__register!(
                Task,
                $type,
                $kind,
                $summary,
                $citation,
                $example,
                ::core::option::Option::Some(|generator| {
                    <<$type as $crate::Task>::Answer as $crate::__private::JsonSchema>::json_schema(generator)
                })
            );
        };
    };
}

/// Registers a [`Rubric`](crate::Rubric) under a kind, so that YAML can name it.
#[macro_export]
macro_rules! register_rubric {
    ($type:ty, $kind:tt, summary = $summary:expr, citation = $citation:expr, example = $example:expr $(,)?) => {
        const _: () = {
            use $crate::__private::typetag;

            #[typetag::serde(name = $kind)]
            impl $crate::ErasedRubric for $type {
                fn check(&self, task: &dyn $crate::ErasedTask, at: &mut $crate::Diagnostics) {
                    $crate::Rubric::check(self, task, at);
                }
                fn questions(&self, asked: &$crate::Asked<'_>) -> ::std::sync::Arc<[$crate::Question]> {
                    $crate::Rubric::questions(self, asked)
                }
                fn guidance(&self) -> ::core::option::Option<::std::sync::Arc<str>> {
                    $crate::Rubric::guidance(self)
                }
                fn aggregators(&self) -> ::std::vec::Vec<::std::boxed::Box<dyn $crate::ErasedAggregator>> {
                    $crate::Rubric::aggregators(self)
                }
                fn measures(&self) -> ::std::vec::Vec<$crate::Measure> {
                    $crate::Rubric::measures(self)
                }
                fn score(
                    &self,
                    session: &$crate::SessionRecord,
                    context: &$crate::Scoring<'_>,
                    into: &mut $crate::ScoreTable,
                ) -> ::core::result::Result<(), $crate::ScoreError> {
                    $crate::Rubric::score(self, session, context, into)
                }
                fn remarks(
                    &self,
                    found: &[$crate::MeasureFindings],
                    context: &$crate::Scoring<'_>,
                ) -> ::std::vec::Vec<$crate::Note> {
                    $crate::Rubric::remarks(self, found, context)
                }
                fn boxed_clone(&self) -> ::std::boxed::Box<dyn $crate::ErasedRubric> {
                    ::std::boxed::Box::new(::core::clone::Clone::clone(self))
                }
                fn as_any(&self) -> &dyn ::core::any::Any {
                    self
                }
            }

            $crate::__register!(
                Rubric,
                $type,
                $kind,
                $summary,
                $citation,
                $example,
                ::core::option::Option::None
            );
        };
    };
}

/// Registers an [`Aggregator`](crate::Aggregator) under a kind, so that YAML can name it.
#[macro_export]
macro_rules! register_aggregator {
    ($type:ty, $kind:tt, summary = $summary:expr, citation = $citation:expr, example = $example:expr $(,)?) => {
        const _: () = {
            use $crate::__private::typetag;

            #[typetag::serde(name = $kind)]
            impl $crate::ErasedAggregator for $type {
                fn check(&self, measures: &[$crate::Measure], at: &mut $crate::Diagnostics) {
                    $crate::Aggregator::check(self, measures, at);
                }
                fn begin(&self, context: &$crate::Aggregation) -> ::std::boxed::Box<dyn $crate::Accumulator> {
                    $crate::__private::begin_typed(self, context)
                }
                fn boxed_clone(&self) -> ::std::boxed::Box<dyn $crate::ErasedAggregator> {
                    ::std::boxed::Box::new(::core::clone::Clone::clone(self))
                }
            }

            $crate::__register!(
                Aggregator,
                $type,
                $kind,
                $summary,
                $citation,
                $example,
                ::core::option::Option::None
            );
        };
    };
}

/// Lists a [`Backend`](crate::Backend), whose trait its author implements with `#[typetag::serde(name = "…")]`
/// under the same kind.
#[macro_export]
macro_rules! register_backend {
    ($type:ty, $kind:tt, summary = $summary:expr, citation = $citation:expr, example = $example:expr $(,)?) => {
        const _: () = {
            $crate::__register!(
                Backend,
                $type,
                $kind,
                $summary,
                $citation,
                $example,
                ::core::option::Option::None
            );
        };
    };
}

/// Lists a [`Cohort`](crate::Cohort), whose trait its author implements with `#[typetag::serde(name = "…")]`
/// under the same kind.
#[macro_export]
macro_rules! register_cohort {
    ($type:ty, $kind:tt, summary = $summary:expr, citation = $citation:expr, example = $example:expr $(,)?) => {
        const _: () = {
            $crate::__register!(
                Cohort,
                $type,
                $kind,
                $summary,
                $citation,
                $example,
                ::core::option::Option::None
            );
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($part:ident, $type:ty, $kind:tt, $summary:expr, $citation:expr, $example:expr, $answers:expr) => {
        $crate::__private::inventory::submit! {
            $crate::Entry {
                part: $crate::Part::$part,
                kind: $kind,
                summary: $summary,
                citation: $citation,
                example: $example,
                crate_name: ::core::env!("CARGO_PKG_NAME"),
                crate_version: ::core::env!("CARGO_PKG_VERSION"),
                schema: |generator| <$type as $crate::__private::JsonSchema>::json_schema(generator),
                answers: $answers,
            }
        }
    };
}
