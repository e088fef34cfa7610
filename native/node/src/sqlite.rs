//! SQLite for TypeScript: a connection, statements with parameters, and rows, by rusqlite.

use std::ffi::{c_int, CStr};
use std::sync::OnceLock;
use std::time::Duration;

use napi::bindgen_prelude::{Either4, Null, Uint8Array};
use napi_derive::napi;
use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{ffi, params_from_iter, Connection, ErrorCode, OpenFlags, ToSql};

use crate::errors::coded;

/// A value of a row or a parameter. Integers are numbers, too.
#[napi]
pub type SqliteValue = Either4<Null, f64, String, Uint8Array>;

/// Statements that a connection keeps prepared.
const STATEMENTS: usize = 64;

/// A connection to an SQLite file. Errors have the codes `sqlite_busy`, `sqlite_full`, `sqlite_damaged` and
/// `sqlite_failed`.
#[napi]
pub struct Sqlite {
    connection: Option<Connection>,
}

#[napi]
impl Sqlite {
    /// Opens a database file. A statement waits `waitMs` milliseconds for a lock. With 0 the connection never sleeps: a
    /// lock of another process is `sqlite_busy` at once.
    #[napi(constructor)]
    pub fn open(path: String, create: bool, wait_ms: u32) -> napi::Result<Self> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
        let connection = if wait_ms == 0 {
            Connection::open_with_flags_and_vfs(path, flags, sleepless_vfs())
        } else {
            Connection::open_with_flags(path, flags)
        }
        .map_err(failed)?;
        connection.busy_timeout(Duration::from_millis(wait_ms.into())).map_err(failed)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(Self { connection: Some(connection) })
    }

    /// Runs one statement to its end, and returns its rows.
    #[napi]
    pub fn rows(
        &self,
        sql: String,
        #[napi(ts_arg_type = "readonly SqliteValue[]")] parameters: Vec<SqliteValue>,
    ) -> napi::Result<Vec<Vec<SqliteValue>>> {
        self.query(&sql, parameters).map_err(failed)
    }

    /// Closes the connection. Does nothing the second time.
    #[napi]
    pub fn close(&mut self) -> napi::Result<()> {
        match self.connection.take().map(Connection::close) {
            Some(Err((_, error))) => Err(failed(error)),
            _ => Ok(()),
        }
    }

    fn query(&self, sql: &str, parameters: Vec<SqliteValue>) -> rusqlite::Result<Vec<Vec<SqliteValue>>> {
        let Some(connection) = &self.connection else {
            return Err(rusqlite::Error::SqliteFailure(
                ffi::Error::new(ffi::SQLITE_MISUSE),
                Some("the connection is closed".into()),
            ));
        };
        let mut statement = connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(parameters.iter().map(Parameter)))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push((0..columns).map(|at| row.get_ref(at).map(to_js)).collect::<Result<_, _>>()?);
        }
        Ok(found)
    }
}

struct Parameter<'a>(&'a SqliteValue);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Either4::A(_) => ToSqlOutput::Owned(Owned::Null),
            Either4::B(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                ToSqlOutput::Owned(Owned::Integer(*number as i64))
            }
            Either4::B(number) => ToSqlOutput::Owned(Owned::Real(*number)),
            Either4::C(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Either4::D(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

fn to_js(value: ValueRef<'_>) -> SqliteValue {
    match value {
        ValueRef::Null => Either4::A(Null),
        ValueRef::Integer(number) => Either4::B(number as f64),
        ValueRef::Real(number) => Either4::B(number),
        ValueRef::Text(text) => Either4::C(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Either4::D(Uint8Array::from(bytes)),
    }
}

fn failed(error: rusqlite::Error) -> napi::Error {
    let code = match error.sqlite_error() {
        Some(found) if found.extended_code == ffi::SQLITE_IOERR_SHMSIZE => "sqlite_full",
        found => match found.map(|found| found.code) {
            // Protocol error: another process did not release a lock of the log's index in time.
            Some(ErrorCode::DatabaseBusy | ErrorCode::FileLockingProtocolFailed) => "sqlite_busy",
            Some(ErrorCode::DiskFull) => "sqlite_full",
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => "sqlite_damaged",
            _ => "sqlite_failed",
        },
    };
    coded(code, error)
}

/// The default VFS without sleeping. SQLite itself sleeps, for seconds at worst, if another process
/// holds a lock of the log's index, even with a busy timeout of 0.
fn sleepless_vfs() -> &'static CStr {
    const NAME: &CStr = c"sleepless";
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        // SAFETY: SQLite's default VFS lives as long as the process. So does the copy, which SQLite
        // keeps in its list.
        unsafe {
            let mut vfs = Box::new(*ffi::sqlite3_vfs_find(std::ptr::null()));
            vfs.zName = NAME.as_ptr();
            vfs.pNext = std::ptr::null_mut();
            vfs.xSleep = Some(no_sleep);
            ffi::sqlite3_vfs_register(Box::leak(vfs), 0);
        }
    });
    NAME
}

unsafe extern "C" fn no_sleep(_: *mut ffi::sqlite3_vfs, _microseconds: c_int) -> c_int {
    0
}
