// Storage of unsent reports: IndexedDB, or memory if the browser refuses that.

/**
 * @import { Report } from "../page.js"
 */

/**
 * A stored report. A provisional one stands for a running presentation: it is sent only if the page finds it after a
 * reload or a crash.
 * @typedef {{ key: string, provisional: boolean, report: Report }} Entry
 */

/**
 * @typedef {object} Store
 * @property {() => Promise<Entry[]>} all in no order
 * @property {(entry: Entry) => Promise<void>} put replaces the entry with the same key
 * @property {(key: string) => Promise<void>} remove
 * @property {() => Promise<void>} clear
 */

/** Stores entries in memory. @implements {Store} */
export class MemoryStore {
  /** @type {Map<string, Entry>} */
  #entries = new Map();

  async all() {
    return [...this.#entries.values()];
  }

  /** @param {Entry} entry */
  async put(entry) {
    this.#entries.set(entry.key, entry);
  }

  /** @param {string} key */
  async remove(key) {
    this.#entries.delete(key);
  }

  async clear() {
    this.#entries.clear();
  }
}

const TABLE = 'reports';

/** Stores entries in IndexedDB. @implements {Store} */
class IndexedStore {
  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database;
  }

  /** @returns {Promise<Entry[]>} */
  all() {
    return this.#run('readonly', (table) => table.getAll());
  }

  /** @param {Entry} entry @returns {Promise<void>} */
  put(entry) {
    return this.#run('readwrite', (table) => table.put(entry));
  }

  /** @param {string} key @returns {Promise<void>} */
  remove(key) {
    return this.#run('readwrite', (table) => table.delete(key));
  }

  /** @returns {Promise<void>} */
  clear() {
    return this.#run('readwrite', (table) => table.clear());
  }

  /**
   * @param {IDBTransactionMode} mode
   * @param {(table: IDBObjectStore) => IDBRequest} ask
   * @returns {Promise<any>} resolves when the transaction is complete
   */
  #run(mode, ask) {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(TABLE, mode, { durability: 'strict' });
      const request = ask(transaction.objectStore(TABLE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }
}

/** The time that a browser has to open its database before memory is used instead, in milliseconds. */
const PATIENCE = 3000;

/**
 * Opens the reports stored under a name, in memory if the browser has no database for the page.
 * @param {string} name
 * @param {() => IDBFactory | undefined} factory may throw, as browsers do that block storage
 * @returns {Promise<Store>}
 */
export async function openStore(name, factory) {
  try {
    return new IndexedStore(await openDatabase(name, factory()));
  } catch {
    return new MemoryStore();
  }
}

/**
 * @param {string} name
 * @param {IDBFactory | undefined} factory
 * @returns {Promise<IDBDatabase>}
 */
function openDatabase(name, factory) {
  return new Promise((resolve, reject) => {
    if (factory === undefined) throw new Error('no IndexedDB');
    const request = factory.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE, { keyPath: 'key' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    setTimeout(() => reject(new Error('IndexedDB does not answer')), PATIENCE);
  });
}
