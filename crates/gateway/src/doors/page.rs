//! The page, as it was built into the binary. It holds no secret, so it needs no token; what it shows comes over
//! the socket, which does.

use crate::{fault::Fault, routes::Route};
use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use rust_embed::{EmbeddedFile, RustEmbed};

/// What `ui` builds. A debug build reads it from there anew each time.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Built;

/// What stands in its place where it was not built.
const WITHOUT: &str = include_str!("../page.html");

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/", page).open().does("The page"),
        Route::get("/assets/{*path}", asset).open().does("What the page is made of"),
    ]
}

async fn page(headers: HeaderMap) -> Response {
    match Built::get("index.html") {
        Some(file) => answer("index.html", file, &headers, "no-cache"),
        None => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], WITHOUT).into_response(),
    }
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Result<Response, Fault> {
    let path = format!("assets/{path}");
    // The names hold a hash of what is in them: under one name there will never be anything else.
    let forever = "public, max-age=31536000, immutable";
    let file = Built::get(&path).ok_or_else(|| Fault::not_found(format!("there is nothing at /{path}")))?;
    Ok(answer(&path, file, &headers, forever))
}

fn answer(path: &str, file: EmbeddedFile, asked: &HeaderMap, cache: &'static str) -> Response {
    let hash: String = file.metadata.sha256_hash()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{hash}\"");
    let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let known = known.is_some_and(|tags| tags.split(',').any(|each| each.trim() == tag));
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, content_type(path))], file.data).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rust_embed::Metadata;

    #[test]
    fn what_a_browser_has_is_not_sent_again() {
        let file = || EmbeddedFile {
            data: b"alert".into(),
            metadata: Metadata::__rust_embed_new([7; 32], None, None),
        };
        let check = |tags: Option<&str>, status: u16, kind: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(tags) = tags {
                headers.insert(header::IF_NONE_MATCH, tags.parse().unwrap());
            }
            let response = answer("assets/a.js", file(), &headers, "no-cache");
            let found = response.headers().get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap());
            assert_eq!((response.status().as_u16(), found), (status, kind), "{tags:?}");
            assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache", "{tags:?}");
            assert_eq!(response.headers()[header::ETAG], format!("\"{}\"", "07".repeat(16)), "{tags:?}");
        };
        let script = Some("text/javascript; charset=utf-8");
        check(None, 200, script);
        check(Some("\"other\""), 200, script);
        check(Some(&format!("\"{}\"", "07".repeat(16))), 304, None);
        check(Some(&format!("\"other\", \"{}\"", "07".repeat(16))), 304, None);
    }
}
