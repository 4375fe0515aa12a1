//! Where the weights of the embedding model are sought on this machine. What is done with them is for `embed`.

use crate::{environment::Environment, home::Home};
use std::path::PathBuf;

/// What sets the folder that is looked into first.
const VARIABLE: &str = "STEWARD_MODELS_DIR";

/// The folders in which weights are sought, the first first: the one that is set, the owner's, and the one that was
/// built along with this program.
pub(crate) fn directories(home: &Home, environment: &Environment) -> Vec<PathBuf> {
    let set = environment.get(VARIABLE).map(PathBuf::from);
    let built = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("models")));
    set.into_iter().chain([home.models()]).chain(built).collect()
}
