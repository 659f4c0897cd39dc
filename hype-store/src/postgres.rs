//! A store in a PostgreSQL database.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use deadpool_postgres::{Client, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use hype_core::plugin::store::{Append, Entries, Erasure, Holders, Identity, Log, Registered};
use hype_core::{Digest, Event, Store, StoreError};
use tokio::runtime::Handle;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, NoTls, Row, Socket};

use self::address::Address;
use self::appender::EventTexts;
use self::fault::{fault, pool_fault};
use self::grouped::Grouped;
use self::timed::timed;
use crate::chain::{self, Chain};
use crate::journal;
use crate::rows::{self, Appended, integer};

mod address;
mod appender;
mod dumped;
mod erasures;
mod fault;
mod grouped;
mod journals;
mod places;
mod schema;
mod timed;

/// The maximum number of connections of a store. A server accepts a hundred by default.
const CONNECTIONS: usize = 16;

/// The time for which a call waits for a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keeps logs in a PostgreSQL database, for any number of processes and machines that serve the same study.
///
/// Each study has its own schema, named by the parameter `schema` of the address (default `hype`), so one database can contain
/// several studies, and each of them can be dropped or dumped separately. The schema and its tables are created on connecting, by
/// one process at a time. The database has to exist and to use UTF-8. The database itself refuses to alter or delete events,
/// except to erase a session's answers. An append is durable when it returns; appends that come at the same time share a
/// statement and its commit.
///
/// Connections are opened when needed, at most 16 per store, and reopened after a restart of the server. An interrupted
/// call, or one that takes longer than 15 seconds, fails with [`StoreError::Unavailable`] and can be repeated. Forgotten data are deleted from the tables; the
/// server overwrites them later in its files and in its write-ahead log.
///
/// Connecting needs a tokio runtime with time and network. The store continues to use this runtime: its calls may be
/// awaited on any other runtime as long as the first one runs.
///
/// # Examples
/// ```no_run
/// # async fn example() -> Result<(), hype_core::StoreError> {
/// use hype_store::PostgresStore;
/// use hype_core::Store;
///
/// let store = PostgresStore::connect("postgres://hype@localhost/studies?schema=faces").await?;
/// assert!(store.sessions(None, 10).await?.is_empty());
/// # Ok(()) }
/// ```
pub struct PostgresStore {
    pool: Pool,
    appends: Grouped<EventTexts, Appended>,
    changes: Grouped<places::Append, Option<u64>>,
    runtime: Handle,
    schema: String,
}

type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

impl PostgresStore {
    /// Connects through a socket (`postgres://user@%2Frun%2Fpostgresql/db`) or an unencrypted network, such as the
    /// loopback interface or an otherwise secure network. For other networks use [`connect_with`](Self::connect_with).
    ///
    /// # Errors
    /// If the address cannot be parsed, the server is unreachable or refuses the connection, the schema is not a store
    /// of hype or was written by another version, or there is no tokio runtime.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Self::connect_with(url, NoTls).await
    }

    /// Connects with a TLS connector of the caller's choice, which addresses with `sslmode=require` need.
    ///
    /// # Errors
    /// See [`connect`](Self::connect).
    pub async fn connect_with<T>(url: &str, tls: T) -> Result<Self, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Sync + Send + 'static,
        T::Stream: Sync + Send,
        T::TlsConnect: Sync + Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let Address { config, schema } = Address::parse(url)?;
        let runtime = Handle::try_current()
            .map_err(|_| StoreError::failed("PostgreSQL needs a tokio runtime".to_owned()))?;
        let manager =
            Manager::from_config(config, tls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .timeouts(Timeouts { wait: Some(PATIENCE), create: Some(PATIENCE), recycle: Some(PATIENCE) })
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::failed(error.to_string()).caused_by(error))?;
        schema::create(&mut pool.get().await.map_err(pool_fault)?, &schema).await?;
        let appends = Grouped::start(&pool, &runtime, appender::LANES, appender::together);
        // Changes of places are appended one after the other.
        let changes = Grouped::start(&pool, &runtime, 1, places::together);
        Ok(Self { appends, changes, pool, runtime, schema })
    }

    /// Runs `work` with its own connection on the store's runtime.
    async fn run<R, F>(&self, work: impl FnOnce(Client) -> F + Send + 'static) -> Result<R, StoreError>
    where
        R: Send + 'static,
        F: Future<Output = Result<R, Error>> + Send,
    {
        self.call(async move |client| work(client).await.map_err(fault)).await
    }

    /// Like [`run`](Self::run), for work that can fail otherwise than by the database.
    async fn call<R, F>(&self, work: impl FnOnce(Client) -> F + Send + 'static) -> Result<R, StoreError>
    where
        R: Send + 'static,
        F: Future<Output = Result<R, StoreError>> + Send,
    {
        let pool = self.pool.clone();
        let task = self.runtime.spawn(async move {
            let call = async {
                let client = pool.get().await.map_err(pool_fault)?;
                work(client).await
            };
            timed(&pool, call).await?
        });
        task.await.unwrap_or_else(|error| {
            Err(StoreError::failed(format!("the store's runtime failed: {error}")).caused_by(error))
        })
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// The single row of a statement's result, in one round trip once the statement is prepared.
async fn one(client: &Client, statement: &str, parameters: Parameters<'_>) -> Result<Row, Error> {
    let statement = client.prepare_cached(statement).await?;
    client.query_one(&statement, parameters).await
}

async fn all(client: &Client, statement: &str, parameters: Parameters<'_>) -> Result<Vec<Row>, Error> {
    let statement = client.prepare_cached(statement).await?;
    client.query(&statement, parameters).await
}

#[async_trait]
impl Store for PostgresStore {
    async fn bind(&self, study: Digest) -> Result<(), StoreError> {
        let wanted = study.to_string();
        let digest = wanted.clone();
        let bind = self.run(async move |client| {
            one(&client, "SELECT bind_study($1)", &[&digest]).await?.try_get::<_, String>(0)
        });
        let found = bind.await?;
        if found == wanted {
            return Ok(());
        }
        Err(StoreError::AnotherStudy { found, wanted })
    }

    async fn secret(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        let share = self.run(async move |client| {
            one(&client, "SELECT share_secret($1)", &[&fresh.as_slice()]).await?.try_get::<_, Vec<u8>>(0)
        });
        let secret = share.await?;
        secret.try_into().map_err(|_| StoreError::damaged("the secret does not have 32 bytes".to_owned()))
    }

    async fn append(&self, entries: Append<'_>, expected: u64) -> Result<u64, StoreError> {
        match entries {
            Append::Events(session, events) => {
                let texts = rows::write(events)?;
                let append = EventTexts { session: session.to_owned(), expected, texts };
                self.appends.call(append).await?.length(session, expected, events)
            }
            Append::Place(change) => match self.changes.call((change.clone(), expected)).await? {
                Some(position) => Ok(position),
                None => {
                    let last = "SELECT coalesce(max(position), 0) FROM place_changes";
                    Err(Log::Places.conflict(expected, self.count(last.to_owned()).await?))
                }
            },
            Append::Action(action) => self.append_to_journal(&journal::ACTIONS, action, expected).await,
            Append::Ledger(entry) => self.append_to_journal(&journal::LEDGER, entry, expected).await,
        }
    }

    async fn read(&self, log: Log<'_>, from: u64) -> Result<(Entries, u64), StoreError> {
        match log {
            Log::Session(session) => Ok(rows::from_on(self.load(session).await?, from)),
            Log::Places => {
                let rows = self.run(async move |client| places::rows(&client, from).await).await?;
                let (changes, end) = places::read(&rows, from)?;
                Ok((Entries::Places(changes), end))
            }
            Log::Actions => self.journal(&journal::ACTIONS, from, Entries::Actions).await,
            Log::Ledger => self.journal(&journal::LEDGER, from, Entries::Ledger).await,
        }
    }

    async fn sessions(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let select = match after {
            Some(_) => "SELECT name FROM sessions WHERE name > $1 ORDER BY name LIMIT $2",
            None => "SELECT name FROM sessions WHERE name >= $1 ORDER BY name LIMIT $2",
        };
        let (after, limit) = (after.unwrap_or_default().to_owned(), integer(limit as u64));
        let sessions = self.run(async move |client| {
            let rows = all(&client, select, &[&after, &limit]).await?;
            rows.iter().map(|row| row.try_get(0)).collect()
        });
        sessions.await
    }

    async fn erase(&self, erasures: &[Erasure]) -> Result<(), StoreError> {
        let erasures = erasures.to_vec();
        self.call(async move |mut client| erasures::erase(&mut client, &erasures).await).await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        // The rows are gone; the server overwrites them when it vacuums its tables.
        Ok(())
    }

    async fn register(
        &self,
        identity: Identity<'_>,
        holder: &str,
        sealed: Option<&[u8]>,
    ) -> Result<Registered, StoreError> {
        let (holder, sealed) = (holder.to_owned(), sealed.map(<[u8]>::to_vec));
        let bound = |row: Row| row.try_get::<_, Option<String>>(0);
        let before = match identity {
            Identity::Person(key) => {
                let (key, register) = (key.to_owned(), "SELECT register_person($1, $2, $3)");
                self.run(async move |client| {
                    one(&client, register, &[&key, &holder, &sealed]).await.and_then(bound)
                })
                .await?
            }
            Identity::Link(link) => {
                let (link, redeem) = (link.to_owned(), "SELECT redeem_link($1, $2)");
                self.run(async move |client| one(&client, redeem, &[&link, &holder]).await.and_then(bound))
                    .await?
            }
        };
        Ok(before.map_or(Registered::New, Registered::Before))
    }

    async fn holder(&self, identity: Identity<'_>) -> Result<Option<String>, StoreError> {
        let (select, name) = match identity {
            Identity::Person(key) => ("SELECT holder FROM people WHERE key = $1", key.to_owned()),
            Identity::Link(link) => ("SELECT holder FROM links WHERE link = $1", link.to_owned()),
        };
        let holder = self.run(async move |client| {
            let rows = all(&client, select, &[&name]).await?;
            rows.first().map(|row| row.try_get(0)).transpose()
        });
        holder.await
    }

    async fn sealed(&self, holders: Holders<'_>) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let (condition, holder, limit) = match holders {
            Holders::One(holder) => ("holder = $1", Some(holder), 1),
            Holders::After(after, limit) => {
                ("$1::text IS NULL OR holder COLLATE \"C\" > $1 COLLATE \"C\"", after, limit)
            }
        };
        let select = format!(
            "SELECT holder, sealed FROM sealed WHERE {condition} ORDER BY holder COLLATE \"C\" LIMIT $2"
        );
        let (holder, limit) = (holder.map(str::to_owned), integer(limit as u64));
        let sealed = self.run(async move |client| {
            let rows = all(&client, &select, &[&holder, &limit]).await?;
            rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
        });
        sealed.await
    }

    async fn reseal(&self, holder: &str, sealed: &[u8]) -> Result<(), StoreError> {
        let (holder, sealed) = (holder.to_owned(), sealed.to_vec());
        let reseal = self.run(async move |client| {
            let update = "UPDATE sealed SET sealed = $2 WHERE holder = $1 RETURNING true";
            all(&client, update, &[&holder, &sealed]).await.map(drop)
        });
        reseal.await
    }

    async fn forget(&self, holder: &str) -> Result<(), StoreError> {
        let holder = holder.to_owned();
        self.run(async move |client| one(&client, "SELECT forget_holder($1)", &[&holder]).await.map(drop))
            .await
    }
}

impl PostgresStore {
    /// The events of a session, whose hashes are verified.
    async fn load(&self, session: &str) -> Result<Vec<Event>, StoreError> {
        let name = session.to_owned();
        let load = self.run(async move |client| {
            let select = "SELECT number, event, events.chain, erasures.chain FROM sessions \
                          LEFT JOIN events ON events.session = sessions.id \
                          LEFT JOIN erasures ON erasures.session = sessions.id \
                          WHERE name = $1 ORDER BY number";
            let rows = all(&client, select, &[&name]).await?;
            rows.iter().map(Line::read).collect::<Result<Vec<Option<Line>>, Error>>()
        });
        let lines: Option<Vec<Line>> = load.await?.into_iter().collect();
        // The session has a row, and no event.
        let lines = lines.ok_or_else(|| rows::removed(session))?;
        let begin = lines.first().and_then(|line| line.before.clone());
        let (texts, chain): (Vec<_>, Vec<_>) = lines.into_iter().map(|line| (line.text, line.chain)).unzip();
        let events = rows::parse(session, 0, &texts)?;
        check(session, begin.as_deref(), &texts, &chain)?;
        Ok(events)
    }

    /// The number that a statement selects.
    async fn count(&self, select: String) -> Result<u64, StoreError> {
        let count = self.run(async move |client| one(&client, &select, &[]).await?.try_get::<_, i64>(0));
        Ok(count.await?.unsigned_abs())
    }
}

/// An event as it is stored.
struct Line {
    text: (i64, String),
    chain: Vec<u8>,
    /// The hash of the last event that was erased before it.
    before: Option<Vec<u8>>,
}

impl Line {
    /// `None` for a session without events.
    fn read(row: &Row) -> Result<Option<Self>, Error> {
        let Some(number) = row.try_get::<_, Option<i64>>(0)? else { return Ok(None) };
        let text = (number, row.try_get(1)?);
        Ok(Some(Self { text, chain: row.try_get(2)?, before: row.try_get(3)? }))
    }
}

/// Compares the stored hashes of events with recomputed ones. `before` is the hash of the last event that was erased
/// from the session, if it was.
fn check(
    session: &str,
    before: Option<&[u8]>,
    texts: &[(i64, String)],
    chain: &[Vec<u8>],
) -> Result<(), StoreError> {
    let erased = before.map(|hash| {
        let hash = hash.try_into().map(i64::from_be_bytes);
        hash.map(|hash| Chain::from_integer(hash).erased()).map_err(|_| rows::altered(session, 0))
    });
    let mut link = erased.transpose()?.unwrap_or_else(|| Chain::of(session));
    let form = chain::form("");
    for ((number, text), stored) in texts.iter().zip(chain) {
        link = link.then(&form, text.as_bytes());
        if *stored != link.to_integer().to_be_bytes() {
            return Err(rows::altered(session, number.unsigned_abs()));
        }
    }
    Ok(())
}
