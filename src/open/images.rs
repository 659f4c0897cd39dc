//! What is reported of a study's images: a few lines for each kind of fault, however many images have it.

use hype_core::diagnostics::Diagnostics;
use hype_core::words::counted;
use hype_core::{Role, StimulusSet, Use};
use hype_images::{Faults, Feature, ImageSet, Inspected, Outlier, Shortcut, outliers, shortcuts};

/// How many examples a message names.
const EXAMPLES: usize = 3;

/// Examples for a message, and how many more there are.
fn examples<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    let named: Vec<String> = all.iter().take(EXAMPLES).map(one).collect();
    match all.len().saturating_sub(EXAMPLES) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Reports the images of a set that cannot be used, in one error for each kind of fault.
pub(super) fn tell_of_faults(faults: Faults, at: &mut Diagnostics) {
    for kind in faults.into_kinds() {
        at.field("images")
            .error("bad-image", kind.to_string())
            .help("replace the file by a whole image, or remove it");
    }
}

/// Warns of images of a set whose names promise another format, or whose size differs greatly from the others.
pub(super) fn tell_of_names_and_sizes(images: &[Inspected], at: &mut Diagnostics) {
    let misnamed: Vec<&Inspected> = images.iter().filter(|image| image.misnamed().is_some()).collect();
    if !misnamed.is_empty() {
        let named = examples(&misnamed, |image| format!("{} is {}", image.path, image.format));
        let count = counted(misnamed.len(), "image");
        at.field("images").warning("misnamed-image", format!("{count} named for another format: {named}"));
    }
    let odd = outliers(images);
    if let Some(Outlier { usual_width, usual_height, .. }) = odd.first() {
        let named = examples(&odd, |Outlier { image, .. }| {
            format!("{} is {}×{}", image.path, image.width, image.height)
        });
        let count = counted(odd.len(), "image");
        at.field("images")
            .warning(
                "odd-size",
                format!("{count} far from this set's usual {usual_width}×{usual_height}: {named}"),
            )
            .help("replace them, or leave them out: at the size of the others they would be blurred");
    }
}

/// Warns of features by which raters could tell real from generated images, once for each feature.
pub(super) fn tell_of_shortcuts(sets: &[StimulusSet], images: &[Vec<Inspected>], at: &mut Diagnostics) {
    let with = |role: Role, used_for: Use| -> Vec<ImageSet<'_>> {
        sets.iter()
            .zip(images)
            .filter(|(set, _)| set.role == role && set.used_for == used_for)
            .map(|(set, images)| ImageSet { name: &set.name, images })
            .collect()
    };
    let mut found = Vec::new();
    for used_for in [Use::Main, Use::Qualification] {
        found.extend(shortcuts(&with(Role::Real, used_for), &with(Role::Generated, used_for)));
    }
    for (feature, help) in [
        (
            Feature::Format,
            "compression leaves visible traces: save all images in one format, by the same steps",
        ),
        (Feature::Size, "bring all images to one size, by the same filter"),
    ] {
        let of_feature: Vec<&Shortcut> =
            found.iter().filter(|shortcut| shortcut.feature == feature).collect();
        let [first, others @ ..] = of_feature.as_slice() else { continue };
        let mut message = first.to_string();
        if !others.is_empty() {
            message.push_str("; likewise ");
            message.push_str(&examples(others, |shortcut| shortcut.model.clone()));
        }
        at.within("stimuli", |at| {
            at.field(&first.model).warning("shortcut", message).help(help);
        });
    }
}
