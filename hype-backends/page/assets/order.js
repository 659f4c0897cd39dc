// A ranking in progress: tiers of equal candidates, best first, and unplaced candidates. Pure.

/** @typedef {{ tiers: readonly (readonly string[])[], rest: readonly string[] }} Order */

/**
 * Where a candidate is dropped: into the tier of another, before that tier, or at the end (`null`).
 * @typedef {{ join: string } | { before: string | null }} Drop
 */

/** @param {readonly string[]} values @returns {Order} nothing placed: an order shown first would suggest itself */
export function unordered(values) {
  return { tiers: [], rest: values };
}

/**
 * The order that these ranks describe.
 * @param {readonly string[]} values
 * @param {Record<string, number>} ranks
 * @returns {Order}
 */
export function ordered(values, ranks) {
  const distinct = [...new Set(Object.values(ranks))].sort((one, other) => one - other);
  const tiers = distinct.map((rank) => values.filter((value) => ranks[value] === rank));
  return { tiers: tiers.filter((tier) => tier.length > 0), rest: values.filter((value) => ranks[value] === undefined) };
}

/** @param {Order} order @param {string} value */
function tierOf(order, value) {
  return order.tiers.findIndex((tier) => tier.includes(value));
}

/**
 * Removes a candidate from its tier or from the unplaced ones.
 * @param {Order} order
 * @param {string} value
 * @returns {Order}
 */
function without(order, value) {
  const others = (/** @type {readonly string[]} */ values) => values.filter((other) => other !== value);
  return { tiers: order.tiers.map(others).filter((tier) => tier.length > 0), rest: others(order.rest) };
}

/**
 * Appends a candidate after the last rank.
 * @param {Order} order
 * @param {string} value
 * @returns {Order}
 */
export function place(order, value) {
  return drop(order, value, { before: null });
}

/**
 * Removes a candidate's rank.
 * @param {Order} order
 * @param {string} value
 * @returns {Order}
 */
export function remove(order, value) {
  const rest = without(order, value);
  return { tiers: rest.tiers, rest: [...rest.rest, value] };
}

/**
 * Moves a candidate to where it was dropped.
 * @param {Order} order
 * @param {string} value
 * @param {Drop} target names another candidate
 * @returns {Order}
 */
export function drop(order, value, target) {
  const { tiers, rest } = without(order, value);
  if ('join' in target) {
    return { tiers: tiers.map((tier) => (tier.includes(target.join) ? [...tier, value] : tier)), rest };
  }
  const { before } = target;
  const index = before === null ? -1 : tierOf({ tiers, rest }, before);
  const at = index === -1 ? tiers.length : index;
  return { tiers: [...tiers.slice(0, at), [value], ...tiers.slice(at)], rest };
}

/**
 * Moves a candidate one step up or down. With ties a step leads from a rank of its own into the adjacent tier, or from a
 * tier to a rank of its own: every order can be reached.
 * @param {Order} order
 * @param {string} value
 * @param {"up" | "down"} way
 * @param {"ties" | "strict"} rule
 * @returns {Order}
 */
export function move(order, value, way, rule) {
  const at = tierOf(order, value);
  if (at === -1) return order;
  const tier = order.tiers[at] ?? [];
  const beyond = order.tiers[at + (way === 'up' ? -1 : 1)];
  if (tier.length > 1) {
    const [first] = tier.filter((other) => other !== value);
    const next = way === 'up' ? first : (order.tiers[at + 1]?.[0] ?? null);
    return drop(order, value, { before: next ?? null });
  }
  const [neighbour] = beyond ?? [];
  if (neighbour === undefined) return order;
  if (rule === 'ties') return drop(order, value, { join: neighbour });
  const after = order.tiers[at + 2]?.[0] ?? null;
  return drop(order, value, { before: way === 'up' ? neighbour : after });
}

/**
 * The dense ranks, 1 for the best; `null` until every candidate has one.
 * @param {Order} order
 * @returns {Record<string, number> | null}
 */
export function ranks(order) {
  if (order.rest.length > 0) return null;
  return Object.fromEntries(order.tiers.flatMap((tier, place) => tier.map((value) => [value, place + 1])));
}

/**
 * A candidate's rank so far; `null` without one.
 * @param {Order} order
 * @param {string} value
 * @returns {number | null}
 */
export function rankOf(order, value) {
  const at = tierOf(order, value);
  return at === -1 ? null : at + 1;
}
