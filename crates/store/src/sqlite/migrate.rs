//! Brings the file to the schema this program knows. Migrations are files, applied once, in order.

use crate::{Result, StoreError};
use rusqlite::Connection;

const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001-ground-floor.sql"),
    include_str!("../../migrations/0002-front-door.sql"),
    include_str!("../../migrations/0003-tasks.sql"),
    include_str!("../../migrations/0004-archive.sql"),
    include_str!("../../migrations/0005-open-rows.sql"),
    include_str!("../../migrations/0006-standing-orders.sql"),
    include_str!("../../migrations/0007-notices.sql"),
    include_str!("../../migrations/0008-forecasts.sql"),
];

/// The schema in the file, which is not newer than what this program knows, and the newest it knows.
fn versions(connection: &Connection) -> Result<(u32, u32)> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    let found: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    Ok((found, known))
}

/// Whether a file can be read as it is.
pub(crate) fn check(connection: &Connection) -> Result<()> {
    match versions(connection)? {
        (found, known) if found < known => Err(StoreError::Older { found, known }),
        _ => Ok(()),
    }
}

/// Applies what is missing, each migration in a transaction of its own with its number.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    let (found, _) = versions(connection)?;
    for (number, migration) in (1u32..).zip(MIGRATIONS).skip(found as usize) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
        tracing::info!(number, "migrated the database");
    }
    Ok(())
}
