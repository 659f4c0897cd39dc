// The entry point: the rater's arrival, language and other tabs.

import { Api, HOME, newTab } from './api.js';
import { App } from './app.js';
import { isOpened, whereabouts } from './panel.js';
import { openStore } from './store.js';

/**
 * @import { Screen } from "../page.js"
 */

const ARRIVAL = `hype-arrival:${HOME.pathname}`;
const LANGUAGE = `hype-language:${HOME.pathname}`;

/**
 * The tab's storage, if the browser allows it.
 * @returns {Storage | null}
 */
function tabMemory() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/**
 * The address parameters by which the rater came. They are removed from the address bar, and stored for this tab until a
 * session begins, and survive a reload of the consent page.
 * @param {Storage | null} memory
 * @returns {Record<string, string>}
 */
function takeArrival(memory) {
  const parameters = Object.fromEntries(new URLSearchParams(location.search));
  if (Object.keys(parameters).length === 0) return JSON.parse(memory?.getItem(ARRIVAL) ?? '{}');
  if (memory !== null) {
    memory.setItem(ARRIVAL, JSON.stringify(parameters));
    history.replaceState(null, '', location.pathname + location.hash);
  }
  return parameters;
}

/** The channel of the study's tabs, if the browser allows it. @returns {BroadcastChannel | null} */
function tabChannel() {
  try {
    return new BroadcastChannel(`hype:${HOME.pathname}`);
  } catch {
    return null;
  }
}

/** Whether the browser keeps cookies for the page, without which no request belongs to a session. */
function keepsCookies() {
  const probe = `hype-probe=${tab}; Path=${HOME.pathname}; SameSite=Strict`;
  try {
    document.cookie = probe;
    const isKept = document.cookie.includes(`hype-probe=${tab}`);
    document.cookie = `${probe}; Max-Age=0`;
    return isKept;
  } catch {
    return false;
  }
}

const memory = tabMemory();
const tab = newTab();
const api = new Api(tab, takeArrival(memory));
api.shown = whereabouts();
const channel = tabChannel();
const store = await openStore(`hype-outbox:${HOME.pathname}`, () => globalThis.indexedDB);

const app = new App(document.body, api, store, {
  wanted: memory?.getItem(LANGUAGE) ?? navigator.languages[0] ?? navigator.language ?? 'en',
  remember: (language) => memory?.setItem(LANGUAGE, language),
  /** @param {Screen} screen */
  opened(screen) {
    if (!['instructions', 'waiting', 'trial'].includes(screen.screen)) return;
    memory?.removeItem(ARRIVAL);
    channel?.postMessage(tab);
  },
  isOpened: isOpened(),
  contact: document.querySelector('meta[name=contact]')?.getAttribute('content') || null,
  next() {
    memory?.removeItem(LANGUAGE);
    memory?.removeItem(ARRIVAL);
    location.reload();
  },
});

channel?.addEventListener('message', (event) => {
  if (event.data !== tab) app.takenOver();
});
addEventListener('online', () => app.hurry());
// A rater who returns to the panel's frame may have finished in the other window.
document.addEventListener('visibilitychange', () => app.look());
addEventListener('pageshow', (event) => {
  if (event.persisted) app.reopen();
});
addEventListener('beforeunload', (event) => {
  if (app.unsent) event.preventDefault();
});
// In a panel's frame, the server says whether the session can be held.
if (api.shown === 'window' && !keepsCookies()) await app.cannotStart('cookies');
else await app.start();
