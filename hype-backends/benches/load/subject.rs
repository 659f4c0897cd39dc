//! The study under load: a published protocol whose images are never fetched.

use hype_analyses as _;
use hype_core::{Digest, Media, Role, SetId, Spec, Stimuli, Stimulus, StimulusSet, Study, TaskSpec, Use};
use hype_tasks::{HypeInfinity, HypeTime};

/// Images in each of the two sets; the longest session shows 225 of each.
const IMAGES: u32 = 300;

/// A page's display report for a trial of `hype_time`: 500 ms and five masks at 60 Hz.
const DISPLAY: &str = concat!(
    r#"{"frame_us":16667,"grain_us":5,"skipped":0,"worst_late_us":300,"suspect":false,"parts":["#,
    r#"{"part":1,"image":0,"requested_ms":500,"planned_frames":30,"frames":30,"onset_us":0,"shown_us":500010},"#,
    r#"{"part":2,"image":0,"requested_ms":30,"planned_frames":2,"frames":2,"onset_us":500010,"shown_us":33334},"#,
    r#"{"part":2,"image":1,"requested_ms":30,"planned_frames":2,"frames":2,"onset_us":533344,"shown_us":33334},"#,
    r#"{"part":2,"image":2,"requested_ms":30,"planned_frames":2,"frames":2,"onset_us":566678,"shown_us":33334},"#,
    r#"{"part":2,"image":3,"requested_ms":30,"planned_frames":2,"frames":2,"onset_us":600012,"shown_us":33334},"#,
    r#"{"part":2,"image":4,"requested_ms":30,"planned_frames":2,"frames":2,"onset_us":633346,"shown_us":33334}]}"#,
);

/// A task by its name, with the number of trials in a session and the display report of each trial.
pub(crate) struct Subject {
    pub(crate) trials: u32,
    pub(crate) display: &'static str,
    task: Box<dyn TaskSpec>,
}

impl Subject {
    pub(crate) fn named(task: &str) -> Result<Self, String> {
        match task {
            "hype_infinity" => {
                Ok(Self { trials: 100, display: "null", task: Box::new(HypeInfinity::default()) })
            }
            "hype_time" => Ok(Self { trials: 450, display: DISPLAY, task: Box::new(HypeTime::default()) }),
            _ => Err(format!("--task is hype_infinity or hype_time, not {task}")),
        }
    }

    /// The study, with places for this many raters.
    pub(crate) fn study(self, places: u32) -> Study {
        let sets = vec![
            StimulusSet::new("real", Role::Real, Use::Main),
            StimulusSet::new("model", Role::Generated, Use::Main),
        ];
        let items = (0..2 * IMAGES).map(|number| {
            Stimulus::new(
                SetId(u16::from(number >= IMAGES)),
                Digest::of(&number.to_le_bytes()),
                format!("{number}.png"),
                Media::Image { width: 256, height: 256 },
            )
        });
        let stimuli = Stimuli::new(sets, items.collect()).unwrap();
        let mut spec = Spec::new("load", 7, self.task);
        spec.collection.raters.per_model = places;
        spec.protocol.qualification = None;
        Study::new(spec, stimuli).unwrap()
    }
}
