//! Errors of a cache folder as messages of the binary.

use crate::failure::{ExitCode, Failure, LET_READ};
use dollop_cache::{CacheError, UnknownFormat};
use std::io::ErrorKind;

impl From<CacheError> for Failure {
    fn from(error: CacheError) -> Self {
        let (code, help) = code_and_help(&error);
        let failure = Self::new(code, error.to_string());
        match help {
            Some(help) => failure.with_help(help),
            None => failure,
        }
    }
}

impl From<UnknownFormat> for Failure {
    fn from(error: UnknownFormat) -> Self {
        Self::new(ExitCode::BadInput, error.to_string())
    }
}

fn code_and_help(error: &CacheError) -> (ExitCode, Option<&'static str>) {
    match error {
        CacheError::Create { .. } => {
            (ExitCode::CannotWrite, Some("name a folder inside one that you may write into with --cache"))
        }
        CacheError::IsAFile(_) => (ExitCode::CannotWrite, Some("name a folder with --cache, an empty or a new one")),
        CacheError::Write { .. } => (
            ExitCode::CannotWrite,
            Some("make room or choose another folder with --cache; frames written so far are whole"),
        ),
        CacheError::Read { source, .. } if source.kind() == ErrorKind::PermissionDenied => {
            (ExitCode::Unexpected, Some(LET_READ))
        }
        CacheError::Read { .. } => (ExitCode::Unexpected, None),
        CacheError::Exists(_) => (ExitCode::Refused, Some("choose another folder, or bake over it with --overwrite")),
        CacheError::OtherScene(_) => (ExitCode::Refused, Some("name another folder with --cache")),
        CacheError::HasJob(_) => {
            (ExitCode::Refused, Some("choose another folder, or replace the job with --overwrite; bakes in it stay"))
        }
        CacheError::Foreign { .. } => (ExitCode::Refused, Some("name an empty or a new folder; nothing was changed")),
        CacheError::NotAFolder(_) => (ExitCode::Refused, Some("remove it, or choose another folder")),
        CacheError::Gone(_) => (
            ExitCode::CannotWrite,
            Some("bake again, into a folder that nobody removes; what is there now was left alone"),
        ),
        CacheError::Busy(_) => (ExitCode::TryAgain, Some("wait for it, stop it, or choose another folder")),
        CacheError::NotACache(_) => (ExitCode::BadInput, Some("name the folder that was given to --cache")),
        CacheError::Damaged { .. } => (
            ExitCode::BadInput,
            Some(
                "bake again into another folder, or into this one with --overwrite; if that is refused, too, remove its index by hand",
            ),
        ),
        CacheError::Version { .. } | CacheError::Format { .. } => {
            (ExitCode::BadInput, Some("use the release of Dollop that made it"))
        }
        CacheError::NoParticles(_) => (ExitCode::BadInput, Some(HAS_PARTICLES)),
        CacheError::TooOld(..) => (ExitCode::BadInput, Some(WITH_PARTICLES)),
        CacheError::Particles { .. } => {
            (ExitCode::BadInput, Some("leave the frame out with --frames, or bake it again with particles"))
        }
        CacheError::NotFinite { .. } => (ExitCode::Internal, Some("please report this with the scene file")),
        CacheError::Encode { .. } => (ExitCode::Internal, None),
    }
}

const HAS_PARTICLES: &str = "name the cache that this one was made from, if `dollop mesh` or `dollop volume` made it with --out; \
     else bake again with `\"particles\": {}` in the `output` of the scene: Particles in the panel";
const WITH_PARTICLES: &str = "bake again with `\"particles\": {}` in the `output` of the scene: Particles in the panel";

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn an_unreadable_file_is_reported_with_advice() {
        let read = |kind: ErrorKind| CacheError::Read { path: "c/bake.json".into(), source: io::Error::from(kind) };
        let failure = Failure::from(read(ErrorKind::PermissionDenied));
        assert_eq!(failure.message, "c/bake.json: cannot be read: permission denied");
        assert_eq!(failure.help.as_deref(), Some(LET_READ));
        assert_eq!(Failure::from(read(ErrorKind::TimedOut)).help, None, "no right to read would help there");
    }
}
