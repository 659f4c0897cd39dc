//! A panel's rules for the rater page: how raters arrive, who may take part, and how raters are handed back.

use std::sync::Arc;

use crate::web::service::panel_ids::PANEL_PARAMETERS;
use crate::web::settings::{Completion, Page};
use crate::web::wire::request::Arrival;

mod people;
mod proof;
mod returns;
mod webhook;

pub use self::people::StudyPeople;
pub use self::proof::ArrivalProof;
pub(crate) use self::returns::filled;
pub use self::returns::{ReturnSignature, SubmitForm};
pub use self::webhook::{Received, Webhook};

/// A panel's rules for the rater page beyond the [`Page`](crate::web::Page)'s settings.
///
/// The backend of a panel makes it from its own settings, and hands it to
/// [`Services::for_panel`](crate::web::Services::for_panel). It is not part of any spec. Rules that are left out change
/// nothing: a page with [`PanelRules::default`] behaves as one without a panel.
///
/// # Examples
/// ```
/// use hype_backends::web::PanelRules;
/// use hype_backends::web::settings::{Completion, Handover};
///
/// let back = "https://app.prolific.com/submissions/complete?cc=C0DE";
/// let rules = PanelRules {
///     participant: Some("PROLIFIC_PID".into()),
///     completion: Completion {
///         completed: Some(Handover { code: Some("C0DE".into()), redirect: Some(back.into()) }),
///         ..Completion::default()
///     },
///     ..PanelRules::default()
/// };
/// assert!(rules.framed_by.is_empty());
/// ```
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "the backends of panels make it")]
pub struct PanelRules {
    /// The address parameter with the participant's id. The page's own setting comes first.
    pub participant: Option<Arc<str>>,
    /// Whether a text is an id of the panel's, if its ids have a form: nothing else is let in as a person. Without one, spellings that
    /// differ in case, in invisible characters, or in white space and quotation marks around them are one person.
    pub form: Option<fn(&str) -> bool>,
    /// How the panel proves who has come. Without the proof, new people are not let in.
    pub proof: Option<Arc<dyn ArrivalProof>>,
    /// Further parameters of the address that are kept under seal, by default [`PANEL_PARAMETERS`]. A return address can name
    /// each of them.
    pub parameters: Vec<Arc<str>>,
    /// How the panel marks arrivals of people who only look at what the task is. They see that, and nothing is stored.
    pub preview: Option<PreviewMark>,
    /// The origins that may show the page in a frame, such as `https://www.mturk.com`. By default none may.
    pub framed_by: Vec<Arc<str>>,
    /// Codes and redirects, by how raters end. The page's own settings come first. A redirect can have placeholders:
    /// `{participant}`, `{session}`, `{ending}`, `{code}`, and every parameter that is kept, such as `{assignmentId}`. Their values are
    /// percent-encoded; those that are unknown are left out.
    pub completion: Completion,
    /// The form by which sessions are handed in, at panels that have one.
    pub submit: Option<SubmitForm>,
    /// A signature of return addresses, by which the panel knows that they were not made up.
    pub signature: Option<ReturnSignature>,
    /// Studies whose participants cannot take part.
    pub excluded: Vec<StudyPeople>,
    /// The study whose qualified participants skip the qualification. No one else can take part.
    pub qualified: Option<StudyPeople>,
    /// The panel's own reports, at `api/panel`. By default no reports are accepted.
    pub webhook: Option<Webhook>,
}

impl PanelRules {
    /// The settings of a page with those of these rules that it leaves out.
    pub(crate) fn complete(&self, page: Page) -> Page {
        let participant = page.participant.clone().or_else(|| self.participant.clone());
        let completion = page.completion.clone().or(&self.completion);
        Page { participant, completion, ..page }
    }

    /// The parameters that are kept, with those that the form of the panel needs.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &str> {
        let form = self.submit.iter().flat_map(|form| form.fields.iter().chain([&form.address]));
        self.parameters.iter().chain(form).map(|name| &**name)
    }

    /// Whether an arrival only looks at the task.
    pub(crate) fn is_preview(&self, arrival: &Arrival) -> bool {
        let mark = self.preview.as_ref();
        mark.is_some_and(|mark| arrival.get(&*mark.parameter).is_some_and(|value| **value == *mark.value))
    }
}

impl Default for PanelRules {
    fn default() -> Self {
        Self {
            participant: None,
            form: None,
            proof: None,
            parameters: PANEL_PARAMETERS.map(Into::into).into(),
            preview: None,
            framed_by: Vec::new(),
            completion: Completion::default(),
            submit: None,
            signature: None,
            excluded: Vec::new(),
            qualified: None,
            webhook: None,
        }
    }
}

/// The address parameter by which a panel marks previews, such as `assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the backends of panels make it")]
pub struct PreviewMark {
    /// The parameter.
    pub parameter: Arc<str>,
    /// Its value in previews.
    pub value: Arc<str>,
}
