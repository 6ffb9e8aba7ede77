//! The size of a request's head. hyper refuses a large one only while it arrives in parts: what is
//! read at once may be larger than its buffer.

use hyper::Request;

/// The largest head, in bytes.
pub const LARGEST_HEAD: usize = 64 * 1024;

/// Reports whether the head of a request is larger than that.
pub fn is_large<B>(request: &Request<B>) -> bool {
    let uri = request.uri();
    let target = uri.path_and_query().map_or(1, |local| local.as_str().len());
    let authority = uri
        .authority()
        .map_or(0, |name| "http://".len() + name.as_str().len());
    let first = request.method().as_str().len() + authority + target + "  HTTP/1.1\r\n".len();
    let fields = request.headers().iter();
    let fields = fields.map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    first + fields.sum::<usize>() + "\r\n".len() > LARGEST_HEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_head_counts() {
        // `GET / HTTP/1.1`, `a: `, and three line breaks.
        let rest = "GET / HTTP/1.1\r\na: \r\n\r\n".len();
        for (size, large) in [(LARGEST_HEAD, false), (LARGEST_HEAD + 1, true)] {
            let value = "x".repeat(size - rest);
            let request = Request::get("/").header("a", &value).body(()).unwrap();
            assert_eq!(is_large(&request), large);
            let target = format!("/{value}");
            let request = Request::get(target).header("a", "").body(()).unwrap();
            assert_eq!(is_large(&request), large);
        }
    }
}
