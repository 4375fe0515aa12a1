//! What is handed in from outside for event-triggered tasks: whoever knows the token, and signs if that was asked for,
//! starts a run. What they hand in are words of strangers and is put to the assistant as such.

use crate::{Clock, words};
use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use protocol::TurnId;
use sha2::{Digest, Sha256};
use std::{fmt::Write, sync::Arc};
use store::{HookDelivery, HookTaken, HookTask, Store, StoreError};
use uuid::Uuid;

/// What one delivery may hold: far more than any event, far less than a conversation can bear.
pub const MAX_HOOK_BYTES: usize = 256 * 1024;

/// How many deliveries of one task may wait. A sender that is refused tries again later.
const MAX_WAITING: usize = 100;

/// A sender's name for a delivery is short.
const MAX_KEY_BYTES: usize = 200;

/// How far the clocks of two machines may be apart.
const MAX_CLOCK_DIFFERENCE: SignedDuration = SignedDuration::from_mins(5);

/// What came in, and what came with it.
#[derive(Debug, Clone, Default)]
pub struct HookRequest {
    /// `X-Steward-Signature`, or `X-Hub-Signature-256`: `sha256=` and the HMAC in hexadecimal.
    pub signature: Option<String>,
    /// `X-Steward-Timestamp`: seconds since 1970. It is then signed, too, as `timestamp.body`.
    pub timestamp: Option<String>,
    /// `Idempotency-Key`: the sender's name for the delivery.
    pub key: Option<String>,
    /// What was handed in.
    pub body: Vec<u8>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAnswer {
    /// It is taken, once, however often it was sent.
    Taken {
        /// The task.
        task: Uuid,
        /// Its run.
        turn: TurnId,
        /// Whether it was taken before.
        repeated: bool,
    },
    /// The token leads nowhere.
    Unknown,
    /// The task is over.
    Ended,
    /// It is not signed, or not by whoever has the secret.
    BadSignature,
    /// It was signed at another time than now.
    TooOld,
    /// The same signed delivery was taken before.
    Replayed,
    /// The name was used for something else before.
    KeyReused,
    /// The name is too long.
    BadKey,
    /// It is larger than is taken.
    TooLarge,
    /// It is no text.
    NotText,
    /// So many wait that no more are taken for now.
    QueueFull {
        /// How many may wait.
        limit: usize,
    },
}

/// Takes what is handed in. Cheap to clone.
#[derive(Clone)]
pub struct Hooks {
    store: Store,
    clock: Arc<dyn Clock>,
}

impl Hooks {
    /// For the event-triggered tasks of a store.
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Takes one delivery; durable once it says so.
    pub async fn take(&self, token: &str, request: HookRequest) -> Result<HookAnswer, StoreError> {
        let hash = hash_of(token.as_bytes());
        let Some(task) = self.store.view().hook_task(&hash).await? else { return Ok(HookAnswer::Unknown) };
        let delivery = match checked(&task, request, self.clock.now()) {
            Ok(delivery) => delivery,
            Err(answer) => return Ok(answer),
        };
        Ok(match self.store.take_hook(&hash, delivery).await? {
            HookTaken::Taken { task, turn, repeated } => HookAnswer::Taken { task, turn, repeated },
            HookTaken::Unknown => HookAnswer::Unknown,
            HookTaken::Ended => HookAnswer::Ended,
            HookTaken::KeyReused => HookAnswer::KeyReused,
            HookTaken::Replayed => HookAnswer::Replayed,
            HookTaken::QueueFull { limit } => HookAnswer::QueueFull { limit },
        })
    }
}

/// What is to be taken, or why it is not. What is not signed as it should be is not looked at any further.
fn checked(task: &HookTask, request: HookRequest, now: Timestamp) -> Result<HookDelivery, HookAnswer> {
    if request.body.len() > MAX_HOOK_BYTES {
        return Err(HookAnswer::TooLarge);
    }
    let signature = match &task.secret {
        Some(secret) => Some(checked_signature(secret, &request, now)?),
        None => None,
    };
    if request.key.as_ref().is_some_and(|key| key.is_empty() || key.len() > MAX_KEY_BYTES) {
        return Err(HookAnswer::BadKey);
    }
    let body_sha256 = hash_of(&request.body);
    let body = String::from_utf8(request.body).map_err(|_| HookAnswer::NotText)?;
    if body.contains('\0') {
        return Err(HookAnswer::NotText);
    }
    let content = words::handed_in(task, &body);
    Ok(HookDelivery { content, key: request.key, signature, body_sha256, max_queued: MAX_WAITING })
}

fn checked_signature(secret: &str, request: &HookRequest, now: Timestamp) -> Result<String, HookAnswer> {
    let signature = request.signature.as_deref().and_then(|written| written.trim().strip_prefix("sha256="));
    let signed = signature.and_then(bytes_of).ok_or(HookAnswer::BadSignature)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(|_| HookAnswer::BadSignature)?;
    if let Some(timestamp) = &request.timestamp {
        mac.update(timestamp.as_bytes());
        mac.update(b".");
    }
    mac.update(&request.body);
    // In constant time: how much of it is right tells nothing.
    mac.verify_slice(&signed).map_err(|_| HookAnswer::BadSignature)?;
    if let Some(timestamp) = &request.timestamp {
        let at = timestamp.trim().parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        let apart = at.ok_or(HookAnswer::TooOld)?.duration_since(now).abs();
        if apart > MAX_CLOCK_DIFFERENCE {
            return Err(HookAnswer::TooOld);
        }
    }
    Ok(hex(&signed))
}

/// A token nobody can guess.
pub(crate) fn new_token() -> String {
    hex(&rand::random::<[u8; 32]>())
}

/// The hash a token, or a body, is known by.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string does not fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    pairs
        .remainder()
        .is_empty()
        .then(|| pairs.map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}
