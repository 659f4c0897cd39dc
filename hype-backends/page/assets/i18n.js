// Languages: the choice of one, and its texts, numbers, money and times.

/** The languages of the page. */
export const LANGUAGES = Object.freeze(['en', 'de', 'es', 'zh', 'ar']);

/** @typedef {Record<string, string | Record<string, string>>} Texts */

/**
 * The first preferred language that the page has, by its whole tag or by its first part; English otherwise.
 * @param {readonly string[]} wanted
 * @param {readonly string[]} [spoken]
 * @returns {string}
 */
export function negotiate(wanted, spoken = LANGUAGES) {
  for (const tag of wanted) {
    const lower = tag.toLowerCase();
    const found =
      spoken.find((one) => one.toLowerCase() === lower) ??
      spoken.find((one) => one.toLowerCase() === lower.split('-')[0]);
    if (found !== undefined) return found;
  }
  return 'en';
}

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur', 'ps', 'dv', 'yi']);

/**
 * The direction in which a language is written.
 * @param {string} tag
 * @returns {"ltr" | "rtl"}
 */
export function direction(tag) {
  return RIGHT_TO_LEFT.has(tag.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

/** The texts and formats of a language. */
export class Language {
  /**
   * @param {string} tag
   * @param {Texts} texts
   */
  constructor(tag, texts) {
    this.tag = tag;
    this.direction = direction(tag);
    this.texts = texts;
    this.plurals = new Intl.PluralRules(tag);
    this.numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 });
  }

  /**
   * The text of a key. Placeholders such as `{count}` take the values of `values`, numbers in the
   * language's format; `values.count` selects the plural form.
   * @param {string} key
   * @param {Record<string, string | number>} [values]
   * @returns {string}
   */
  text(key, values = {}) {
    const entry = this.texts[key];
    if (entry === undefined) throw new Error(`no text for ${key}`);
    const form = typeof entry === 'string' ? entry : this.#plural(entry, Number(values['count']));
    return form.replace(/\{(\w+)\}/g, (whole, name) => {
      const value = values[name];
      if (value === undefined) return whole;
      return typeof value === 'number' ? this.numbers.format(value) : value;
    });
  }

  /** @param {string} key */
  has(key) {
    return key in this.texts;
  }

  /**
   * An amount of money.
   * @param {string} amount a decimal number
   * @param {string} currency such as `USD`
   * @returns {string}
   */
  money(amount, currency) {
    const number = Number(amount);
    try {
      return new Intl.NumberFormat(this.tag, { style: 'currency', currency }).format(number);
    } catch {
      // Some platforms pay in units that are not ISO 4217 currencies.
      return `${this.numbers.format(number)} ${currency}`;
    }
  }

  /**
   * Minutes and seconds such as `1:05`.
   * @param {number} milliseconds
   * @returns {string}
   */
  clock(milliseconds) {
    const seconds = Math.ceil(milliseconds / 1000);
    const two = new Intl.NumberFormat(this.tag, { minimumIntegerDigits: 2 });
    return `${this.numbers.format(Math.floor(seconds / 60))}:${two.format(seconds % 60)}`;
  }

  /**
   * A language's name in that language.
   * @param {string} tag
   * @returns {string}
   */
  nameOf(tag) {
    const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
  }

  /** @param {Record<string, string>} forms @param {number} count */
  #plural(forms, count) {
    return forms[this.plurals.select(count)] ?? forms['other'] ?? '';
  }
}

/**
 * Loads the texts of the language that matches a tag best: from the document, if they came with it.
 * @param {string} tag
 * @returns {Promise<Language>}
 */
export async function loadLanguage(tag) {
  const spoken = negotiate([tag]);
  const inside = document.getElementById('texts');
  if (inside?.lang === spoken) return new Language(spoken, JSON.parse(inside.textContent ?? '{}'));
  const answer = await fetch(new URL(`locale/${spoken}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`the texts of ${spoken} cannot be loaded (${answer.status})`);
  return new Language(spoken, await answer.json());
}
