// Keys of the keyboard: the same key for every layout and script.

/**
 * The key of an event, in lower case: the character if it is a Latin letter or a digit, otherwise the key at that position
 * of a Latin keyboard: `f` works on an Arabic keyboard and `1` on a French one.
 * @param {{ key: string, code: string }} event
 * @returns {string}
 */
export function keyOf({ key, code }) {
  if (/^[a-z0-9]$/i.test(key)) return key.toLowerCase();
  const place = /^(?:Key([A-Z])|(?:Digit|Numpad)([0-9]))$/.exec(code);
  const named = place?.[1] ?? place?.[2];
  return named === undefined ? key.toLowerCase() : named.toLowerCase();
}

/**
 * The keys of options: those that the study sets, and for the others the digit of their position. Of two options with the
 * same key the first gets it.
 * @param {readonly { key: string | null }[]} options
 * @returns {(string | null)[]} `null` where digits have run out
 */
export function assignKeys(options) {
  const taken = new Set(options.map((option) => option.key?.toLowerCase()));
  const digits = [...'1234567890'].filter((digit) => !taken.has(digit));
  /** @type {Set<string>} */
  const given = new Set();
  return options.map((option, place) => {
    const named = option.key?.toLowerCase();
    if (named !== undefined && !given.has(named)) {
      given.add(named);
      return named;
    }
    const own = String((place + 1) % 10);
    const digit = place < 10 && digits.includes(own) ? own : undefined;
    if (digit !== undefined) digits.splice(digits.indexOf(digit), 1);
    return digit ?? null;
  });
}

/**
 * Letters that answer nothing, one from each list of preferred ones.
 * @param {readonly string[]} wanted for each its letters, the preferred one first
 * @param {ReadonlySet<string>} taken keys that answer
 * @returns {(string | null)[]} `null` where all letters of a list are taken
 */
export function freeKeys(wanted, taken) {
  const used = new Set(taken);
  return wanted.map((letters) => {
    const found = [...letters].find((letter) => !used.has(letter));
    if (found !== undefined) used.add(found);
    return found ?? null;
  });
}

/**
 * Whether a key press is for the page: not part of a shortcut, not typed into a field.
 * @param {KeyboardEvent} event
 * @param {"once" | "held too"} [press] whether a key that is held down counts
 * @returns {boolean}
 */
export function isForPage(event, press = 'once') {
  if ((event.repeat && press === 'once') || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented)
    return false;
  const target = event.target;
  if (target instanceof HTMLInputElement && (target.type === 'number' || target.type === 'text')) return false;
  if (target instanceof HTMLTextAreaElement) return false;
  return !(target instanceof HTMLSelectElement) && document.querySelector('dialog[open]') === null;
}
