// Actions of the operator, as the server takes them.

import { post } from './key.js';

/**
 * @import { Act, ActReceipt } from "../../page.js"
 */

/** The name of a request: one for each dialog, with which sending it twice acts once. */
export function requestName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Sends an action. Repeating it changes nothing if it was taken before.
 * @param {string} id
 * @param {Act} act
 * @returns {Promise<ActReceipt>}
 */
export async function send(id, act) {
  const response = await post('operator/act', { id, act });
  return response.json();
}
