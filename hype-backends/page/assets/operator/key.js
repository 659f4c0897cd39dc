// The key of the operator's page. It comes in the fragment of the address, which browsers do not send; the page removes it
// from the address bar at once and keeps it for this tab.

const KEPT = 'hype-operator';

/** @returns {string} */
export function key() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(KEPT) ?? '';
}

/** The headers of a request. @returns {Record<string, string>} */
export const authorized = () => ({ authorization: `Bearer ${key()}` });

/** The server refused a request. */
export class Refused extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Sends a request and reads its reply.
 * @param {string} path
 * @param {unknown} body
 * @returns {Promise<Response>}
 */
export async function post(path, body) {
  const headers = { ...authorized(), 'content-type': 'application/json' };
  return checked(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body), cache: 'no-store' }));
}

/** @param {Response} response @returns {Promise<Response>} */
export async function checked(response) {
  if (response.ok) return response;
  const refusal = await response.json().catch(() => null);
  const { code, message } = refusal?.error ?? { code: 'failed', message: `the server answers ${response.status}` };
  throw new Refused(response.status, code, message);
}
