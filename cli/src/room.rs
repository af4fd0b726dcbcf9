//! Memory whose amount the user, or the data, decides.

use compressor::ErrorKind;

use crate::failure::Failure;

/// So many bytes of 0, for `what`.
///
/// # Errors
///
/// `OutOfMemory`, exit status 1: there are not so many.
pub fn zeroed(len: usize, what: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(len)
        .map_err(|_| too_little(len, what))?;
    bytes.resize(len, 0);
    Ok(bytes)
}

/// Checks that there are so many bytes, for code that takes them at once and ends the process when
/// it cannot have them.
///
/// # Errors
///
/// As [`zeroed`].
pub fn check(len: usize, what: &str) -> Result<(), Failure> {
    let mut bytes = Vec::<u8>::new();
    bytes
        .try_reserve_exact(len)
        .map_err(|_| too_little(len, what))
}

fn too_little(len: usize, what: &str) -> Failure {
    let message = format_args!("{what}: there is no memory for {len} bytes");
    Failure::data(ErrorKind::OutOfMemory, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_memory_for_is_an_error() {
        for refused in [
            check(usize::MAX, "it").unwrap_err(),
            zeroed(usize::MAX, "it").unwrap_err(),
        ] {
            let Failure::Error { line, status } = refused else {
                panic!("{refused:?}")
            };
            let len = usize::MAX;
            assert_eq!(
                line,
                format!("OutOfMemory: it: there is no memory for {len} bytes")
            );
            assert_eq!(status, 1);
        }
        assert!(check(1 << 20, "it").is_ok());
        assert_eq!(zeroed(3, "it").unwrap(), [0; 3]);
    }
}
