//! Pages of fakes for people, who can take part in a browser together with those sent by a program.

use hyper::body::Bytes;
use hyper::header::COOKIE;
use hyper::{Request, Response, StatusCode};

/// A page with a title and a body of markup.
pub(crate) fn page(status: StatusCode, title: &str, body: &str) -> Response<Bytes> {
    let title = escaped(title);
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title>\
         <style>:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }} \
         body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem }} button {{ font: inherit; padding: 0.5em 1em }} \
         iframe {{ width: 100%; height: 80vh; border: 1px solid }}</style>\
         <main><h1>{title}</h1>{body}</main></html>"
    );
    let response = Response::builder().status(status).header("content-type", "text/html; charset=utf-8");
    response.body(Bytes::from(page)).unwrap_or_default()
}

/// Sends a browser to another address, with something to remember about its person.
pub(crate) fn sent_to(address: &str, cookie: [&str; 2]) -> Response<Bytes> {
    let [name, value] = cookie;
    let response = Response::builder()
        .status(StatusCode::SEE_OTHER)
        .header("location", address)
        .header("set-cookie", format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax"));
    response.body(Bytes::new()).unwrap_or_default()
}

/// Returns the value that a browser remembers about its person.
pub(crate) fn remembered(request: &Request<Bytes>, name: &str) -> Option<String> {
    let cookies = request.headers().get(COOKIE)?.to_str().ok()?;
    let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

/// A text as markup.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A form with one button, which is sent to a path.
pub(crate) fn button(path: &str, label: &str) -> String {
    format!("<form method=\"post\" action=\"{path}\"><button>{}</button></form>", escaped(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_remembered_and_texts_are_escaped() {
        let sent = sent_to("http://127.0.0.1/", ["work", "S1"]);
        assert_eq!(sent.headers()["location"], "http://127.0.0.1/");
        let cookie = sent.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        let request =
            Request::get("/").header("cookie", format!("other=1; {cookie}")).body(Bytes::new()).unwrap();
        assert_eq!(remembered(&request, "work").as_deref(), Some("S1"));
        assert_eq!(remembered(&request, "or"), None);
        let page = page(StatusCode::OK, "a <b>", &button("/x", "\"&"));
        let text = String::from_utf8(page.body().to_vec()).unwrap();
        assert!(
            text.contains("<h1>a &lt;b&gt;</h1>") && text.contains("<button>&quot;&amp;</button>"),
            "{text}"
        );
    }
}
