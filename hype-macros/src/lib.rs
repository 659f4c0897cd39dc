//! Attributes for the settings and answers of plugins, which `hype` re-exports.
//!
//! They add derives and attributes of `serde` and `schemars` that name the crate through which these are reached, so that a
//! plugin depends on `hype` alone. The item itself is not parsed.

use proc_macro::TokenStream;

/// Makes a struct the settings of a plugin: it can be read and written, has a schema, takes fields that are left out from
/// its `Default`, and refuses unknown ones.
///
/// A crate that depends on `hype-core` in place of `hype` says so: `#[settings(crate = hype_core)]`.
///
/// # Examples
/// ```text
/// #[settings]
/// #[derive(Debug, Clone)]
/// pub struct YesNo {
///     /// Images of each model that a rater judges.
///     pub pairs: Bounded<2, 5_000>,
/// }
/// ```
#[proc_macro_attribute]
pub fn settings(arguments: TokenStream, item: TokenStream) -> TokenStream {
    with_attributes("default, deny_unknown_fields", &arguments, item)
}

/// Lets a struct or an enum be read and written, and gives it a schema, such as an answer or a part of settings. Further
/// attributes of `serde` and `schemars` can be added.
///
/// A crate that depends on `hype-core` in place of `hype` says so: `#[schema(crate = hype_core)]`.
///
/// # Examples
/// ```text
/// #[schema]
/// #[serde(deny_unknown_fields)]
/// pub struct Judgment {
///     seen: String,
/// }
/// ```
#[proc_macro_attribute]
pub fn schema(arguments: TokenStream, item: TokenStream) -> TokenStream {
    with_attributes("", &arguments, item)
}

/// The item with the derives, and with these arguments of `serde`.
fn with_attributes(serde: &str, arguments: &TokenStream, item: TokenStream) -> TokenStream {
    let arguments = arguments.to_string();
    let root = match arguments.split_once('=') {
        None if arguments.is_empty() => "hype",
        Some((name, root)) if name.trim() == "crate" => root.trim(),
        _ => return error("the only argument is `crate = hype_core`"),
    };
    let attributes = format!(
        "#[derive(::{root}::serde::Serialize, ::{root}::serde::Deserialize, ::{root}::schemars::JsonSchema)] \
         #[serde(crate = \"::{root}::serde\", {serde})] #[schemars(crate = \"::{root}::schemars\")]"
    );
    match attributes.parse::<TokenStream>() {
        Ok(attributes) => attributes.into_iter().chain(item).collect(),
        Err(_) => error("`crate` is the path of a crate, such as `hype_core`"),
    }
}

/// A compile error.
fn error(reason: &str) -> TokenStream {
    let tokens = format!("::core::compile_error!({reason:?});").parse::<TokenStream>();
    tokens.unwrap_or_default()
}
