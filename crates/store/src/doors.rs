//! Who came to a door, in the same tamper-evident log as everything else.

use crate::{
    Durability, Result, Store, StoreError,
    turns::{self, TurnRef},
};
use protocol::{Fact, SessionKey, TurnId};
use uuid::Uuid;

/// The conversation such events stand under; nobody talks in it.
const SESSION: &str = "gateway--auth";

impl Store {
    /// Notes what happened at a door.
    pub async fn note_auth(&self, fact: Fact) -> Result<()> {
        self.write("auth", Durability::Synced, move |unit| {
            let session = SessionKey::new(SESSION)
                .map_err(|error| StoreError::Corrupt { what: SESSION.into(), source: Box::new(error) })?;
            let nobody = TurnRef { session, turn: TurnId::from(Uuid::nil()) };
            turns::append(unit, &nobody, &[fact]).map(|_| ())
        })
        .await
    }
}
