//! Text to vector: local weights and the forward pass over them, or an endpoint. Who asks, and what for, is left to
//! others.
//!
//! Read in this order: [`Embedder`] is what others hold; `local` loads weights when needed and lets go of them when
//! idle; `wordpiece` and `forward` are the model; `weights` and `convert` its file; `fetch` gets it.

mod embedder;
mod local;
mod wordpiece;
mod vocabulary;
mod forward;
mod arithmetic;
mod kernel;
mod shape;
mod weights;
mod convert;
mod fetch;
mod endpoint;
mod own_thread;

pub use convert::BadSource;
pub use embedder::{EmbedError, Embedder, ModelInfo, Unavailable};
pub use endpoint::{EndpointError, EndpointSettings};
pub use fetch::{FetchError, Fetched, Places, Progress, convert_file, fetch};
pub use local::{FILE_NAME, Found, inspect};
