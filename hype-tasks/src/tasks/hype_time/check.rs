//! The checks of HYPE-time's settings that need no stimuli.

use hype_core::words::{counted, cut};
use hype_core::{Diagnostics, Media, MediaKind, Stimuli, Stimulus, Use};
use hype_stats::staircase::{Reach, Reachability, Rule};

mod adaptive;

use super::settings::{Exposure, GUESS, HypeTime, LAPSE, StaircaseSettings, TEXT_CEILING_MS};

/// Blocks of fewer trials are for trying a study out: no steps make them estimate a threshold.
const LEAST_TRIALS: u32 = 20;

/// The rows of the field in which a text is shown, of 704 by 560 CSS pixels.
const ROWS: u32 = 22;
/// The characters that fit into a row in any script; most have room for twice as many.
const CHARACTERS: u32 = 40;
/// The time to read a word silently: 238 words a minute (Brysbaert 2019, doi:10.1016/j.jml.2019.104047).
const READING_MS: u32 = 252;
/// The number of texts in a message.
const NAMED: usize = 3;

/// Checks that each text can be seen at once.
pub(super) fn texts(stimuli: &Stimuli, at: &mut Diagnostics) {
    let rows = |media: Media| match media {
        // Paragraphs are half a row apart.
        Media::Text { characters, lines, .. } => (3 * lines).div_ceil(2) + characters / CHARACTERS,
        _ => 0,
    };
    let is_judged = |set| stimuli.set(set).is_some_and(|set| set.used_for == Use::Main);
    let long = stimuli.all().iter().filter(|text| is_judged(text.set) && rows(text.media) > ROWS);
    let long: Vec<String> = long.map(|text| format!("{} ({} rows)", text.path, rows(text.media))).collect();
    if long.is_empty() {
        return;
    }
    let count = counted(long.len(), "text");
    at.error("too-long", format!("{count} may be too long to be seen at once: {}", cut(long, NAMED, ", ")))
        .help(format!(
            "shorten them to {ROWS} rows: each line takes one and a half, and every {CHARACTERS} characters one \
             more; or use `hype_infinity`, in which texts are scrolled"
        ));
}

/// Warns of exposures that are shorter than people read half of the texts, or than the usual ones if that is less.
pub(super) fn reading(task: &HypeTime, stimuli: &Stimuli, at: &mut Diagnostics) {
    let words = |text: &Stimulus| match text.media {
        Media::Text { words, .. } => Some(words),
        _ => None,
    };
    let mut words: Vec<u32> = stimuli.all().iter().filter_map(words).collect();
    words.sort_unstable();
    let Some(&median) = words.get(words.len() / 2) else { return };
    let usual = HypeTime::for_texts().exposure.ceiling_ms.get();
    let (needed, ceiling) = (median.saturating_mul(READING_MS), task.exposure.ceiling_ms.get());
    if ceiling < needed.min(usual) {
        let message =
            format!("texts are shown for {ceiling} ms at most, but to read {median} words takes {needed} ms");
        at.within("exposure", |at| {
            at.field("ceiling_ms").warning("short-exposures", message).help(format!(
                "leave `exposure` and `staircase` out: texts have defaults of their own, with a ceiling of {usual} ms"
            ));
        });
    }
}

/// Checks the settings of HYPE-time that need no stimuli.
pub(super) fn settings(task: &HypeTime, kind: MediaKind, at: &mut Diagnostics) {
    if task.trials_per_block.get() % 2 == 1 {
        at.field("trials_per_block")
            .error(
                "odd-trials",
                format!("{} trials cannot be half real and half generated", task.trials_per_block),
            )
            .help("use an even number");
    }
    if kind == MediaKind::Text && task.exposure.ceiling_ms.get() > TEXT_CEILING_MS {
        let longest = task.exposure.ceiling_ms;
        at.within("exposure", |at| {
            at.field("ceiling_ms")
                .error(
                    "too-long",
                    format!("{longest} ms is longer than a text is shown: {TEXT_CEILING_MS} ms"),
                )
                .help("use a lower ceiling, or the task `hype_infinity`, which has no limit of time");
        });
    }
    at.within("exposure", |at| check_exposure(&task.exposure, task.adaptive.is_some(), at));
    match &task.adaptive {
        Some(settings) => {
            if task.staircase != StaircaseSettings::default() {
                at.field("adaptive")
                    .error("two-procedures", "a block follows either a staircase or an adaptive procedure")
                    .help("remove `staircase` or `adaptive`");
            }
            at.within("adaptive", |at| adaptive::check(settings, task.trials_per_block.get(), at));
        }
        None => at.within("staircase", |at| check_staircase(task, kind, at)),
    }
}

fn check_exposure(exposure: &Exposure, adaptive: bool, at: &mut Diagnostics) {
    if exposure.floor_ms.get() >= exposure.ceiling_ms.get() {
        at.field("ceiling_ms")
            .error(
                "empty-range",
                format!(
                    "the ceiling of {} ms is not over the floor of {} ms",
                    exposure.ceiling_ms, exposure.floor_ms
                ),
            )
            .help("the published range is 100 to 1000 ms");
    } else if adaptive {
        if exposure.start_ms != Exposure::default().start_ms {
            at.field("start_ms")
                .warning("unused-start", "an adaptive procedure chooses the first exposure itself")
                .help("remove `start_ms`");
        }
    } else if !(exposure.floor_ms.get()..=exposure.ceiling_ms.get()).contains(&exposure.start_ms.get()) {
        at.field("start_ms")
            .error("out-of-range", format!("a block cannot start at {} ms", exposure.start_ms))
            .help(format!("start within {} to {} ms", exposure.floor_ms, exposure.ceiling_ms));
    }
}

fn check_staircase(task: &HypeTime, kind: MediaKind, at: &mut Diagnostics) {
    let settings = &task.staircase;
    let rule = match settings.rule() {
        Ok(rule) => rule,
        Err(reason) => {
            at.error("bad-staircase", reason).help(
                "write `{ preset: weighted }`, or `{ correct_to_harder: 1, step_harder_ms: 10, step_easier_ms: 30, \
                 counting: consecutive }`",
            );
            return;
        }
    };
    let width = task.exposure.ceiling_ms.get().saturating_sub(task.exposure.floor_ms.get());
    for (field, step) in
        [("step_harder_ms", rule.step_harder_ms()), ("step_easier_ms", rule.step_easier_ms())]
    {
        if width > 0 && step > width {
            at.field(if settings.is_free() { field } else { "preset" })
                .error(
                    "step-too-large",
                    format!("a step of {step} ms leaves the range of {width} ms at once"),
                )
                .help("use steps that are small compared with the range of exposures");
        }
    }
    check_reach(task, rule, kind, at);
    let Ok(reach) = rule.reachability(GUESS, LAPSE) else { return };
    if reach.is_reachable() {
        return;
    }
    let field = if settings.preset.is_some() { "preset" } else { "step_harder_ms" };
    let ends = match reach {
        Reachability::AtOrOverUpper { .. } => "so every block would end at the ceiling",
        _ => "so guessing alone drives every block to the floor",
    };
    let message = format!(
        "the rule's target of {:.3} right answers cannot be reached by a choice of two, where guessing is right half \
         of the time: {ends}",
        rule.target()
    );
    if settings.allow_unreachable_target {
        at.field(field).warning("unreachable-target", message);
    } else {
        at.field(field).error("unreachable-target", message).help(
            "use `preset: weighted`, whose target is 0.75, or say `allow_unreachable_target: true` to run it all the \
             same",
        );
    }
}

/// Warns of blocks in which not even a rater who is always right, or always wrong, comes to the end of the range; refuses them
/// for texts, whose ranges are so wide that the steps of images lead nowhere.
fn check_reach(task: &HypeTime, rule: Rule, kind: MediaKind, at: &mut Diagnostics) {
    let (exposure, trials) = (&task.exposure, task.trials_per_block.get());
    let Ok(range) = exposure.range() else { return };
    let (down, up) = (range.start_ms() - range.floor_ms(), range.ceiling_ms() - range.start_ms());
    // Trials for a step to the harder side, and for one to the easier.
    let (harder, easier) = (trials / rule.correct_to_harder(), trials);
    let reaches = |steps: u32, step: u32, way: u32| steps.saturating_mul(step) >= way;
    if trials < LEAST_TRIALS
        || reaches(harder, rule.step_harder_ms(), down) && reaches(easier, rule.step_easier_ms(), up)
    {
        return;
    }
    let shown = [
        range.start_ms() - harder.saturating_mul(rule.step_harder_ms()).min(down),
        range.start_ms() + easier.saturating_mul(rule.step_easier_ms()).min(up),
    ];
    let measured = Reach::new(rule, range, trials).map_or_else(String::new, |reach| {
        let [low, high] = reach.thresholds_ms;
        format!(", and measure thresholds from {low} to {high} ms")
    });
    // Steps in the same proportion, with which both ends are half a block away.
    let least = |way: u32, steps: u32| (2 * way).div_ceil(steps.max(1));
    let factor = f64::from(least(down, harder)) / f64::from(rule.step_harder_ms());
    let factor = factor.max(f64::from(least(up, easier)) / f64::from(rule.step_easier_ms())).ceil();
    let steps = |step: u32| f64::from(step) * factor;
    let message = format!(
        "blocks of {trials} trials from {} ms show at most {} to {} ms of the range from {} to {} ms{measured}",
        range.start_ms(),
        shown[0],
        shown[1],
        range.floor_ms(),
        range.ceiling_ms()
    );
    if kind == MediaKind::Text && task.staircase.preset.is_some() {
        at.field("preset").error("out-of-reach", message).help(
            "presets have steps of tens of milliseconds: leave `staircase` out for 100 ms harder and 300 ms easier, or \
             write `step_harder_ms` and `step_easier_ms`",
        );
        return;
    }
    match kind {
        MediaKind::Text => at.error("out-of-reach", message),
        _ => at.warning("out-of-reach", message),
    }
    .help(format!(
        "use steps of {} ms harder and {} ms easier, {} trials, or another `start_ms`",
        steps(rule.step_harder_ms()),
        steps(rule.step_easier_ms()),
        f64::from(trials) * factor
    ));
}
