//! Where a request comes from: the address of its connection, or the one that a trusted proxy names.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::header::FORWARDED;
use axum::http::{Extensions, HeaderMap};

use crate::web::settings::Page;
use crate::web::settings::entries::Network;

/// The address that a request comes from; `None` if the server does not say which connection it came on.
///
/// A proxy appends the address that it was asked from to `X-Forwarded-For`, or to `Forwarded` (RFC 7239). Whatever stands
/// before that can be made up, so the last address counts that is not itself a trusted proxy's.
pub(super) fn source(extensions: &Extensions, headers: &HeaderMap, page: &Page) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>()?.0.ip();
    let trusted = trusted(page);
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut source = peer;
    for named in forwarded(headers).into_iter().rev() {
        if !is_trusted(source) {
            break;
        }
        // A word that a proxy writes in place of an address, such as `unknown`, hides it.
        let Some(named) = named else { break };
        source = named;
    }
    Some(source)
}

/// The proxies that are believed: those of the settings, or else this machine if the page is served to this machine only.
fn trusted(page: &Page) -> Vec<Network> {
    if let Some(proxies) = &page.trusted_proxies {
        return proxies.iter().filter_map(|proxy| proxy.parse().ok()).collect();
    }
    let listens = page.listen.parse().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |at: SocketAddr| at.ip());
    match listens.is_loopback() {
        true => ["127.0.0.0/8", "::1"].iter().filter_map(|network| network.parse().ok()).collect(),
        false => Vec::new(),
    }
}

/// The addresses that proxies have named, in order; `None` for each that is not an address.
fn forwarded(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let lists = |name: &str| -> Vec<String> {
        let values = headers.get_all(name).iter();
        values
            .flat_map(|value| value.to_str().unwrap_or("unknown").split(','))
            .map(|entry| entry.trim().to_owned())
            .collect()
    };
    let plain = lists("x-forwarded-for");
    if !plain.is_empty() {
        return plain.iter().map(|entry| address(entry)).collect();
    }
    let parameter = |entry: &String| {
        let mut pairs = entry.split(';').filter_map(|pair| pair.trim().split_once('='));
        let named = pairs.find(|(name, _)| name.eq_ignore_ascii_case("for"));
        named.and_then(|(_, value)| address(value.trim_matches('"')))
    };
    lists(FORWARDED.as_str()).iter().map(parameter).collect()
}

/// An address with or without a port, such as `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn from(page: &Page, peer: &str, headers: &[(&str, &str)]) -> String {
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 4711)));
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())
        });
        source(&extensions, &headers.collect(), page).unwrap().to_string()
    }

    #[test]
    fn only_a_trusted_proxy_names_the_source() {
        let home = Page::default();
        let named = [("x-forwarded-for", "198.51.100.7, 203.0.113.9")];
        assert_eq!(from(&home, "127.0.0.1", &named), "203.0.113.9", "the proxy's own entry is the last");
        assert_eq!(from(&home, "127.0.0.1", &[]), "127.0.0.1");
        assert_eq!(from(&home, "192.0.2.1", &named), "192.0.2.1");
        let world = Page { listen: "0.0.0.0:7850".into(), ..Page::default() };
        assert_eq!(from(&world, "127.0.0.1", &named), "127.0.0.1", "nobody is trusted by default");
        let proxies = Some(vec!["192.0.2.0/24".into(), "203.0.113.9".into()]);
        let behind = Page { trusted_proxies: proxies, ..world };
        assert_eq!(from(&behind, "192.0.2.1", &named), "198.51.100.7", "a proxy behind a proxy");
        assert_eq!(from(&behind, "127.0.0.1", &named), "127.0.0.1");
        assert_eq!(from(&behind, "192.0.2.1", &[("x-forwarded-for", "8.8.8.8, junk")]), "192.0.2.1");
        let none = Page { trusted_proxies: Some(Vec::new()), ..Page::default() };
        assert_eq!(from(&none, "127.0.0.1", &named), "127.0.0.1");
    }

    #[test]
    fn all_forms_of_addresses_are_read() {
        let home = Page::default();
        for (header, value, expected) in [
            ("x-forwarded-for", "203.0.113.9:4711", "203.0.113.9"),
            ("x-forwarded-for", "[2001:db8::1]:4711", "2001:db8::1"),
            ("forwarded", "for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
            ("forwarded", "for=1.2.3.4, For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("forwarded", "for=unknown", "127.0.0.1"),
        ] {
            assert_eq!(from(&home, "127.0.0.1", &[(header, value)]), expected, "{header}: {value}");
        }
    }
}
