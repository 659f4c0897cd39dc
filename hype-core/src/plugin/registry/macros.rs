//! The macros by which plugins register.

/// Registers a [`Task`](crate::Task) under the kind that names it in YAML.
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
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Task, TaskSpec, $type, $kind, ::core::option::Option::Some(|generator| {
            <<$type as $crate::Task>::Answer as $crate::__private::JsonSchema>::json_schema(generator)
        }), $($about)*);
    };
}

/// Registers a [`Rubric`](crate::Rubric) under the kind that names it in YAML.
#[macro_export]
macro_rules! register_rubric {
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Rubric, RubricSpec, $type, $kind, ::core::option::Option::None, $($about)*);
    };
}

/// Registers an [`Aggregator`](crate::Aggregator) under the kind that names it in YAML.
#[macro_export]
macro_rules! register_aggregator {
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Aggregator, AggregatorSpec, $type, $kind, ::core::option::Option::None, $($about)*);
    };
}

/// Registers a [`Backend`](crate::Backend) under the kind that names it in YAML.
#[macro_export]
macro_rules! register_backend {
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Backend, BackendSpec, $type, $kind, ::core::option::Option::None, $($about)*);
    };
}

/// Registers a [`Cohort`](crate::Cohort) under the kind that names it in YAML.
#[macro_export]
macro_rules! register_cohort {
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Cohort, CohortSpec, $type, $kind, ::core::option::Option::None, $($about)*);
    };
}

/// Registers a [`StoppingRule`](crate::StoppingRule) under the kind that names it in YAML.
#[macro_export]
macro_rules! register_stopping_rule {
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Stopping, StoppingSpec, $type, $kind, ::core::option::Option::None, $($about)*);
    };
}

/// Registers a [`Metric`](crate::Metric) under the kind that names it in YAML.
#[macro_export]
macro_rules! register_metric {
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Metric, MetricSpec, $type, $kind, ::core::option::Option::None, $($about)*);
    };
}

/// Registers an [`Extractor`](crate::Extractor) under the kind that names it in YAML.
#[macro_export]
macro_rules! register_extractor {
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Extractor, ExtractorSpec, $type, $kind, ::core::option::Option::None, $($about)*);
    };
}

/// Registers a [`Survey`](crate::Survey) under the kind that names it in YAML.
#[macro_export]
macro_rules! register_survey {
    ($type:ty, $kind:tt, $($about:tt)*) => {
        $crate::__register!(Survey, SurveySpec, $type, $kind, ::core::option::Option::None, $($about)*);
    };
}

/// Registers [translations](crate::plugin::translations) of the texts that a crate shows to raters.
///
/// # Examples
/// ```text
/// register_translations!("de", include_str!("../locale/de.json"));
/// ```
#[macro_export]
macro_rules! register_translations {
    ($language:literal, $json:expr $(,)?) => {
        $crate::__private::inventory::submit! {
            $crate::plugin::translations::TranslationEntry {
                language: $language,
                json: $json,
                crate_name: env!("CARGO_PKG_NAME"),
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    (
        $part:ident, $spec:ident, $type:ty, $kind:tt, $answers:expr,
        summary = $summary:expr, citation = $citation:expr, example = $example:expr $(,)?
    ) => {
        const _: () = {
            use $crate::__private::typetag;

            #[typetag::serialize(name = $kind)]
            impl $crate::$spec for $type {}

            $crate::__private::inventory::submit! {
                $crate::__private::KindReader::<dyn $crate::$spec>::new($kind, |settings| {
                    <$type as $crate::serde::Deserialize>::deserialize(settings)
                        .map(|read| ::std::boxed::Box::new(read) as _)
                })
            }

            $crate::__private::inventory::submit! {
                $crate::PluginEntry {
                    part: $crate::SpecPart::$part,
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
    };
}
