//! The tasks, rubrics and surveys of the published protocols.
//!
//! | kind | part | source |
//! |---|---|---|
//! | `hype_time` | task, rubric | Zhou et al. 2019, HYPE-time: a perceptual threshold in milliseconds |
//! | `hype_infinity` | task, rubric | Zhou et al. 2019, HYPE-infinity: an error rate without time limit |
//! | `rating` | task | images rated one by one, with the questions of a rubric |
//! | `heim.*`, `imagenhub.*`, `opinion`, `likert` | rubrics | Lee et al. 2023; Ku et al. 2023; ITU-T P.800, P.910 |
//! | `contrast` | task, rubric | two images side by side: wins and losses of models against each other |
//! | `ranking` | task, rubric | the outputs of several models in order |
//! | `best_of` | task, rubric | Choi et al. 2018, StarGAN: the best of all models' outputs |
//! | `fooling` | task, rubric | Isola et al. 2017, Zhu et al. 2017: which of two images is real |
//! | `age`, `gender`, `region`, `expertise`, `screen`, `headphones`, `colour_vision`, `nasa_tlx`, `comments`, `questions` | surveys | what raters are asked before and after the task |
//!
//! This crate reads no clock, environment variable, file or ambient randomness. How raters are reached is outside
//! its scope.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

pub mod questionnaires;
mod shared;
pub mod surveys;
pub mod tasks;

pub use self::shared::attention::{GoldComparisons, RepeatedComparisons};
pub use self::shared::judgment;
pub use self::shared::named::{NameOr, NamedSettings};
pub use self::shared::side_by_side::WordedCriterion;
pub use self::tasks::{
    BestOf, BestOfRubric, Contrast, ContrastRubric, Fooling, FoolingRubric, HypeInfinity, HypeInfinityRubric,
    HypeTime, HypeTimeRubric, Ranking, RankingRubric, Rating,
};

mod translations {
    //! The texts of this crate in the languages of the rater page, also for studies of clips and of texts.
    //!
    //! A question is translated together with its options or not at all, so the English of clips and texts has the
    //! options of every question that it words otherwise. Its pattern `{*asked} Judge by {criterion}.`, which is tried
    //! after that with `{*question}`, keeps a criterion of the author as written.

    use hype_core::register_translations;

    register_translations!("ar", include_str!("../locale/ar.json"));
    register_translations!("ar-x-text", include_str!("../locale/ar-x-text.json"));
    register_translations!("ar-x-video", include_str!("../locale/ar-x-video.json"));
    register_translations!("de", include_str!("../locale/de.json"));
    register_translations!("de-x-text", include_str!("../locale/de-x-text.json"));
    register_translations!("de-x-video", include_str!("../locale/de-x-video.json"));
    register_translations!("en-x-text", include_str!("../locale/en-x-text.json"));
    register_translations!("en-x-video", include_str!("../locale/en-x-video.json"));
    register_translations!("es", include_str!("../locale/es.json"));
    register_translations!("es-x-text", include_str!("../locale/es-x-text.json"));
    register_translations!("es-x-video", include_str!("../locale/es-x-video.json"));
    register_translations!("zh", include_str!("../locale/zh.json"));
    register_translations!("zh-x-text", include_str!("../locale/zh-x-text.json"));
    register_translations!("zh-x-video", include_str!("../locale/zh-x-video.json"));
}
