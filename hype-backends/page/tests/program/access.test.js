// Every screen passes axe's rules for WCAG 2.2 AA: in proofs in every language, and in `./test` a whole session in a language that is
// written from the left and in one from the right, and other screens in one of both.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { examine } from '../browser/axe.js';
import { Person } from '../browser/person.js';
import { ON_A_PHONE, act, arriveAt, faultsOf, isTooWide } from '../browser/raters.js';
import { LANGUAGES, sized, testInProof } from '../size.js';
import { built } from './program.js';
import { setting } from './setting.js';
import * as study from './studies.js';

/**
 * @import { Page } from "playwright-core"
 * @import { Program } from "./program.js"
 */

/** Enough raters for every language, on a desktop and on a phone. */
const MANY = 20;

/** What stands in another place on a phone, or is drawn in another colour in the dark: forms of each kind. */
const KINDS = ['mask-guided-editing', 'contrast-criteria', 'ranking'];

const ALL = study.untimed(MANY);

/** A study of every task without time limits, or one of each kind. */
const PAGES = sized(
  ALL,
  ALL.filter(({ name }) => KINDS.includes(name)),
);

const COMPLETION = {
  completed: { code: 'C1AB23', redirect: 'https://example.org/back' },
  left: { code: 'L4CD56' },
};

describe('every screen in every language', { ...built, concurrency: 3 }, () => {
  const here = setting();
  /** @type {Program[]} */
  let pages;
  /** @type {{ whole: Program, hard: Program, needy: Program, full: Program, panel: Program, shared: Program }} */
  let programs;
  before(async () => {
    const contact = { contact: 'study@example.org' };
    pages = await Promise.all(PAGES.map((spec) => here.studies.serve(spec, contact)));
    const timed = { ...study.hypeTime({ raters: MANY }), name: 'Photographs and paintings' };
    const unpassable = { trials: 2, pass: { rule: 'both-classes', at_least: 1 } };
    programs = {
      whole: await here.studies.serve(timed, { ...contact, needs: study.NEEDS, completion: COMPLETION }),
      hard: await here.studies.serve(study.hypeInfinity({ qualification: unpassable, raters: MANY }), contact),
      needy: await here.studies.serve(timed, { ...contact, needs: { width: 4000, height: 3000, refresh_hz: 500 } }),
      full: await here.studies.serve({ ...study.likert, raters: { per_item: 1 } }, contact),
      panel: await here.studies.serve(
        { ...study.likert, raters: { per_item: MANY } },
        { ...contact, participant: 'PROLIFIC_PID', completion: COMPLETION },
      ),
      shared: await here.studies.serve(
        { ...study.likert, raters: { per_item: MANY } },
        { ...contact, shared_computer: true },
      ),
    };
    await new Person(await here.raters.rater(programs.full.raters)).consent();
  });

  test('in the dark: every kind of form, and the screens before the first trial', async () => {
    const dark = /** @type {const} */ ({ colorScheme: 'dark' });
    const needy = await here.raters.rater(programs.needy.raters, dark);
    await needy.locator('[data-refused]').waitFor();
    await examine(needy, 'dark-refusal');
    for (const program of [programs.whole, ...sized(pages, pages.slice(0, 1))]) {
      const page = await here.raters.rater(program.raters, dark);
      const person = new Person(page);
      await arriveAt(page, 'consent');
      if (program === programs.whole) await examine(page, 'dark-consent');
      await person.consent();
      await page.locator('[data-action=begin]:enabled').waitFor();
      if (program === programs.whole) await examine(page, 'dark-instructions');
      await person.act('begin');
      await person.settled();
      await examine(page, `dark-${program === programs.whole ? 'entry-test' : program.study.name}`);
      assert.equal(await isDark(page, 'body'), true);
      assert.deepEqual(faultsOf(page), []);
      await page.context().close();
    }
  });

  test('the page is grey around brief images, and the rest before them too, whatever the rater prefers', async () => {
    const grey = 'rgb(128, 128, 128)';
    for (const colorScheme of sized(/** @type {const} */ (['light', 'dark']), /** @type {const} */ (['dark']))) {
      const page = await here.raters.rater(programs.whole.raters, { colorScheme });
      const person = new Person(page);
      await person.begin();
      /** @type {Map<string, string>} */
      const seen = new Map();
      await person.playToEnd(async ({ screen }) => {
        seen.set(screen, await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      });
      for (const screen of ['rest', 'ready', 'timed']) assert.equal(seen.get(screen), grey, screen);
      for (const screen of ['trial', 'end']) assert.notEqual(seen.get(screen), grey, screen);
      await page.context().close();
    }
  });

  for (const [locale, written] of LANGUAGES) {
    const isFromTheRight = written === 'rtl';
    // Names of screenshots in English have no language tag.
    const name = (/** @type {string} */ screen) => (locale === 'en' ? screen : `${locale}-${screen}`);

    (isFromTheRight ? testInProof : test)(`${locale}: a whole session`, async () => {
      const page = await here.raters.rater(programs.whole.raters, { locale });
      await arriveAt(page, 'consent');
      assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]), [
        locale,
        written,
      ]);
      await examine(page, name('consent'));
      const person = new Person(page);
      await person.consent();
      await page.locator('[data-action=begin]:enabled').waitFor();
      await examine(page, name('instructions'));
      await person.act('begin');
      /** @type {Set<string>} */
      const seen = new Set();
      const end = await person.playToEnd(async ({ screen }) => {
        if (seen.has(screen)) return;
        seen.add(screen);
        await examine(page, name(screen === 'trial' ? 'entry-test' : screen));
      });
      assert.equal(end.screen, 'end');
      for (const screen of ['trial', 'rest', 'ready', 'timed', 'end']) assert.ok(seen.has(screen), screen);
      assert.deepEqual(faultsOf(page), []);
      await page.context().close();
    });
    if (sized(true, !isFromTheRight)) {
      test(`${locale}: the screens outside a session`, async () => {
        const refused = await here.raters.rater(programs.needy.raters, { locale });
        await refused.locator('[data-refused]').waitFor();
        await examine(refused, name('refusal'));
        await act(refused, 'decline');
        await arriveAt(refused, 'declined');

        const full = await here.raters.rater(programs.full.raters, { locale });
        await arriveAt(full, 'closed');
        await examine(full, name('full'));

        const crowded = new Person(await here.raters.rater(programs.hard.raters, { locale }));
        const wait = {
          status: 429,
          headers: { 'retry-after': '60' },
          json: { error: { code: 'crowded', message: '' } },
        };
        await crowded.page.route('**/api/consent', (route) => route.fulfill(wait));
        await crowded.consent();
        await arriveAt(crowded.page, 'crowded');
        await examine(crowded.page, name('crowded'));
        await crowded.page.context().close();

        const failing = new Person(await here.raters.rater(programs.hard.raters, { locale }));
        await failing.begin();
        // A rater who calls everything fake fails an entry test with both classes.
        let place = await failing.settled();
        while (place.screen !== 'end') {
          await failing.page.locator('button[data-value=generated]').click();
          place = await failing.settled(place);
        }
        const ending = failing.page.locator('main > [data-ending]');
        assert.equal(await ending.getAttribute('data-ending'), 'disqualified');
        await examine(failing.page, name('disqualified'));

        const linkless = await here.raters.rater(programs.panel.raters, { locale });
        await arriveAt(linkless, 'closed');
        await examine(linkless, name('link-invalid'));

        const last = new Person(await here.raters.rater(programs.shared.raters, { locale }));
        await last.begin();
        await last.playToEnd();
        await examine(last.page, name('next-person'));
        for (const page of [refused, full, failing.page, linkless, last.page]) assert.deepEqual(faultsOf(page), []);
      });
    }

    // English forms are those of untimed.test.js.
    if (!sized(true, isFromTheRight)) continue;

    test(`${locale}: every kind of form`, async () => {
      // In `./test` closely.test.js examines an edited image.
      for (const program of sized(pages, pages.slice(1))) {
        const page = await here.raters.rater(program.raters, { locale });
        const person = new Person(page);
        await person.begin();
        await person.settled();
        await examine(page, name(program.study.name));
        assert.deepEqual(faultsOf(page), []);
        await page.context().close();
      }
    });

    test(`${locale}: the screens between trials`, async () => {
      const address = `${programs.panel.raters}?PROLIFIC_PID=${locale}`;
      const page = await here.raters.rater(address, { locale });
      await arriveAt(page, 'consent');
      await act(page, 'agree');
      await page.locator('.fault:visible').waitFor();
      await examine(page, name('age'));
      await act(page, 'decline');
      await arriveAt(page, 'declined');
      assert.deepEqual(await page.context().cookies(), []);
      await examine(page, name('declined'));
      await act(page, 'back');
      const person = new Person(page);
      await person.begin();
      const place = await person.settled();
      await page.locator('.questions button[type=submit]').click();
      await page.locator('.fault:visible').first().waitFor();
      await examine(page, name('unanswered'));
      await act(page, 'withdraw');
      await examine(page, name('withdraw'));
      await page.locator('dialog [data-action=stay]').click();

      await page.context().setOffline(true);
      await person.answer(place);
      await page.locator('.save-status[data-state=waiting]').waitFor();
      await examine(page, name('not-saved'));
      await page.context().setOffline(false);
      await person.settled(place);

      const other = await page.context().newPage();
      await other.goto(programs.panel.raters);
      await arriveAt(page, 'taken-over');
      await examine(page, name('taken-over'));
      await page.route('**/image/**', (route) => route.abort());
      await act(page, 'take-back');
      await arriveAt(page, 'trouble');
      await examine(page, name('trouble'));
      await page.unroute('**/image/**');
      await act(page, 'reload');
      await person.settled();
      await act(page, 'withdraw');
      await page.locator('dialog [data-action=leave]').click();
      await arriveAt(page, 'end');
      await examine(page, name('left'));

      const again = await here.raters.rater(address, { locale });
      await arriveAt(again, 'closed');
      await examine(again, name('took-part'));
      assert.deepEqual(faultsOf(page), []);
    });
  }

  test('the language that a rater chooses is remembered', async () => {
    const [program] = pages;
    assert.ok(program);
    const page = await here.raters.rater(program.raters);
    await arriveAt(page, 'consent');
    await page.locator('[data-action=language]').selectOption('ar');
    await page.locator('html[lang=ar][dir=rtl]').waitFor();
    await page.reload();
    await page.locator('html[lang=ar][dir=rtl]').waitFor();
    const person = new Person(page);
    await person.consent();
    await arriveAt(page, 'instructions');
    assert.equal(await page.locator('html').getAttribute('lang'), 'ar');
  });

  test('every kind of form on a phone', async () => {
    // In `./test` closely.test.js examines a pair.
    for (const program of sized(pages, [...pages.slice(0, 1), ...pages.slice(2)])) {
      const page = await here.raters.rater(program.raters, ON_A_PHONE);
      const person = new Person(page, 'touch');
      await person.begin();
      await person.settled();
      assert.equal(await isTooWide(page), false, program.study.name);
      await examine(page, program.study.name);
      await page.context().close();
    }
  });

  testInProof('the screens around the trials on a phone', async () => {
    const page = await here.raters.rater(`${programs.panel.raters}?PROLIFIC_PID=phone`, ON_A_PHONE);
    await arriveAt(page, 'consent');
    await examine(page, 'consent');
    const person = new Person(page, 'touch');
    await person.consent();
    await page.locator('[data-action=begin]:enabled').waitFor();
    await examine(page, 'instructions');
    await person.act('begin');
    const place = await person.settled();
    await act(page, 'withdraw');
    await examine(page, 'withdraw');
    await page.locator('dialog [data-action=stay]').click();
    await page.context().setOffline(true);
    await person.answer(place);
    await page.locator('.save-status[data-state=waiting]').waitFor();
    await examine(page, 'not-saved');
    await page.context().setOffline(false);
    await person.settled(place);
    await person.playToEnd(async ({ screen }) => {
      if (screen === 'rest' || screen === 'end') await examine(page, screen);
    });
    assert.deepEqual(faultsOf(page), []);
  });
});

/** Whether the background of an element is dark. @param {Page} page @param {string} selector */
function isDark(page, selector) {
  return page.locator(selector).evaluate((element) => {
    const [red = 255, green = 255, blue = 255] = (getComputedStyle(element).backgroundColor.match(/\d+/g) ?? []).map(
      Number,
    );
    return Math.max(red, green, blue) < 64;
  });
}
