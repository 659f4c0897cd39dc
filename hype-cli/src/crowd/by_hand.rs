//! What people enter at a panel without an interface for programs.

use hype::backends::web::settings::Handover;

use super::connected::Connected;
use crate::failure::Failure;
use crate::output::Page;

/// Prints what to enter at the panel.
pub(super) fn print(connected: &Connected) -> Result<(), Failure> {
    let rules = connected.rules()?;
    let page_settings = connected.backend.page();
    let mut page = Page::default();
    page.line("this panel has no interface for programs: enter there");
    if let Some(address) = &page_settings.public_url {
        let parameter = page_settings.participant.as_ref().or(rules.participant.as_ref());
        let parameter = parameter.map(|name| format!("?{name}=ID")).unwrap_or_default();
        page.line(format_args!("  address        {address}{parameter}"));
        if !parameter.is_empty() {
            page.line("                 with the panel's placeholder for a participant's id in place of ID");
        }
    }
    for (ending, handover) in
        [("completed", &rules.completion.completed), ("not qualified", &rules.completion.disqualified)]
    {
        let Some(Handover { code, redirect }) = handover else { continue };
        if let Some(code) = code {
            page.line(format_args!("  code           {code} ({ending})"));
        }
        if let Some(redirect) = redirect {
            page.line(format_args!("  return address {redirect} ({ending})"));
        }
    }
    page.line("");
    page.print()
}
