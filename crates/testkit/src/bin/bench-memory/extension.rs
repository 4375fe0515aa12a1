//! The same vectors searched by sqlite-vec, as floating-point numbers and as bytes.

// An extension is handed over as a pointer to a function, which has no safe form.
#![allow(unsafe_code)]

use crate::{
    made_up::{DIMENSIONS, UNKNOWN, query, vector},
    measure,
};
use rusqlite::{Connection, ffi, params};
use std::path::Path;

pub fn compare(index: &Path, runs: usize) {
    type Start = unsafe extern "C" fn(
        *mut ffi::sqlite3,
        *mut *mut std::ffi::c_char,
        *const ffi::sqlite3_api_routines,
    ) -> std::ffi::c_int;
    // SAFETY: it is the extension's own entry, of the kind SQLite calls.
    unsafe {
        let start = std::mem::transmute::<*const (), Start>(sqlite_vec::sqlite3_vec_init as *const ());
        ffi::sqlite3_auto_extension(Some(start));
    }
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("vec.db")).unwrap();
    connection.execute("ATTACH ?1 AS ours", [index.to_str().unwrap()]).unwrap();
    connection
        .execute_batch(&format!(
            "CREATE VIRTUAL TABLE floats USING vec0(v float[{DIMENSIONS}] distance_metric=cosine);
             CREATE VIRTUAL TABLE bytes USING vec0(v int8[{DIMENSIONS}] distance_metric=cosine);
             BEGIN"
        ))
        .unwrap();
    {
        let mut read = connection.prepare("SELECT id, scale, vector FROM ours.vectors").unwrap();
        let mut rows = read.query([]).unwrap();
        let mut floats = connection.prepare("INSERT INTO floats(rowid, v) VALUES (?1, ?2)").unwrap();
        let mut bytes = connection.prepare("INSERT INTO bytes(rowid, v) VALUES (?1, vec_int8(?2))").unwrap();
        while let Some(row) = rows.next().unwrap() {
            let (id, scale): (i64, f64) = (row.get(0).unwrap(), row.get(1).unwrap());
            let kept: Vec<u8> = row.get(2).unwrap();
            let numbers: Vec<u8> =
                kept.iter().flat_map(|byte| (f32::from(*byte as i8) * scale as f32).to_le_bytes()).collect();
            floats.execute(params![id, numbers]).unwrap();
            bytes.execute(params![id, kept]).unwrap();
        }
    }
    connection.execute_batch("COMMIT").unwrap();
    let asked = |run| {
        let vector = vector(&query(run, UNKNOWN));
        let most = vector.iter().fold(0_f32, |most, it| most.max(it.abs()));
        let bytes: Vec<u8> = vector.iter().map(|it| (it / most * 127.0) as i8 as u8).collect();
        let floats: Vec<u8> = vector.iter().flat_map(|it| it.to_le_bytes()).collect();
        (floats, bytes)
    };
    let find = |sql: &str, vector: Vec<u8>| {
        let mut statement = connection.prepare_cached(sql).unwrap();
        let found = statement.query_map([vector], |row| row.get::<_, i64>(0)).unwrap().count();
        assert_eq!(found, 200);
    };
    println!("sqlite-vec, the nearest 200 only:");
    measure("floats", runs, |run| {
        find("SELECT rowid FROM floats WHERE v MATCH ?1 AND k = 200", asked(run).0);
    });
    measure("bytes", runs, |run| {
        find("SELECT rowid FROM bytes WHERE v MATCH vec_int8(?1) AND k = 200", asked(run).1);
    });
}
