// Faults during a session: reloads, second tabs, a network failure, a killed browser and a killed server. Afterwards
// the log has every answer once.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Person } from '../browser/person.js';
import { act, arriveAt, faultsOf, visit } from '../browser/raters.js';
import { holdsTheAnswers, sessionOf } from './log.js';
import { OwnBrowser } from './own-browser.js';
import { built } from './program.js';
import { setting } from './setting.js';
import { NEEDS, contrast, hypeTime, likert } from './studies.js';

/**
 * @import { Program } from "./program.js"
 */

/** The length of the network failure, in milliseconds. */
const OUTAGE = 30_000;

/** One rater per study is enough. */
const ALONE = { ...likert, raters: { per_item: 1 } };

describe('nothing is lost or duplicated', { ...built, concurrency: 4 }, () => {
  const here = setting();

  /**
   * Plays to the end, and compares the log with the answers that were given.
   * @param {Program} program
   * @param {Person} person
   */
  async function finish(program, person) {
    await person.playToEnd();
    const { code, said } = await program.ended();
    assert.equal(code, 0, said);
    const log = await program.log();
    assert.equal(log.length, 1);
    const kept = sessionOf(log, person);
    assert.equal(kept.ending, 'completed');
    holdsTheAnswers(kept, person);
    await program.verify();
    return kept;
  }

  test('a reload in the middle of a trial and one after an answer', async () => {
    const program = await here.studies.serve(ALONE);
    const page = await here.raters.rater(program.raters);
    const person = new Person(page);
    await person.begin();
    const first = await person.settled();
    await page.locator('.option').first().click();
    await page.reload();
    assert.deepEqual(await person.settled(), first);
    assert.equal(await page.locator('input:checked').count(), 0);
    await person.answer(first);
    const second = await person.settled(first);
    await page.reload();
    assert.deepEqual(await person.settled(), second);
    const kept = await finish(program, person);
    assert.equal(kept.tabs.length, 3);
    assert.deepEqual(faultsOf(page), []);
  });

  test('a reload during a timed exposure voids the showing, and the trial is shown again', async () => {
    const program = await here.studies.serve(hypeTime({ raters: 1 }), { needs: NEEDS });
    const page = await here.raters.rater(program.raters);
    const person = new Person(page);
    await person.begin();
    /** What was disturbed by something other than a busy machine. */
    const reloaded = async () => {
      const [kept] = await program.log();
      return (kept?.disturbed ?? []).filter(({ reason }) => reason !== 'late');
    };
    // A busy machine may void the showing before the reload does, or end it first.
    for (let attempt = 0; attempt < 5 && (await reloaded()).length === 0; attempt += 1) {
      let place = await person.settled();
      while (place.screen !== 'ready') {
        await person.answer(place);
        place = await person.settled(place);
      }
      await person.answer(place);
      await page.evaluate(
        async (name) => {
          const frame = () => new Promise(requestAnimationFrame);
          /** @param {IDBRequest} request */
          const result = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
          const is = (/** @type {string} */ step) => document.querySelector(`[data-step=${step}]`) !== null;
          while (!is('showing') && !is('asking')) await frame();
          const database = await result(indexedDB.open(name));
          const [store] = database.objectStoreNames;
          while (is('showing') && (await result(database.transaction(store).objectStore(store).count())) === 0)
            await frame();
        },
        `hype-outbox:${new URL(program.raters).pathname}`,
      );
      await page.reload();
      await person.settled();
    }
    await finish(program, person);
    const voided = await reloaded();
    assert.notEqual(voided.length, 0);
    assert.deepEqual([...new Set(voided.map(({ reason }) => reason))], ['hidden']);
  });

  test('a second tab takes over, the first says so, and can take it back', async () => {
    const program = await here.studies.serve(ALONE);
    const first = await here.raters.rater(program.raters);
    const person = new Person(first);
    await person.begin();
    const place = await person.settled();
    const page = await visit(await first.context().newPage(), program.raters);
    const second = new Person(page);
    assert.deepEqual(await second.settled(), place);
    await arriveAt(first, 'taken-over');
    await second.answer(place);
    const next = await second.settled(place);
    await act(first, 'take-back');
    assert.deepEqual(await person.settled(), next);
    await arriveAt(page, 'taken-over');
    person.given.push(...second.given);
    const kept = await finish(program, person);
    assert.equal(kept.tabs.length, 3);
  });

  test('the server informs a tab of another browser', async () => {
    const program = await here.studies.serve(ALONE);
    const first = await here.raters.rater(program.raters);
    const person = new Person(first);
    await person.begin();
    const place = await person.settled();
    const elsewhere = await here.raters.rater('about:blank');
    await elsewhere.context().addCookies(await first.context().cookies());
    const second = new Person(await visit(elsewhere, program.raters), 'mouse', 1);
    const there = await second.settled();
    await person.answer(place);
    await arriveAt(first, 'taken-over');
    // The first tab's answer was stored in its browser, so the answer of the second tab arrived first.
    await second.answer(there);
    await second.settled(there);
    await act(first, 'take-back');
    await person.settled();
    person.given.splice(0, person.given.length, ...second.given);
    await finish(program, person);
  });

  test('half a minute without a network: the answer is stored, the rater informed, and the answer saved', async () => {
    const program = await here.studies.serve(ALONE);
    const page = await here.raters.rater(program.raters);
    const person = new Person(page, 'keyboard');
    await person.begin();
    const place = await person.settled();
    const status = page.locator('.save-status');
    await page.context().setOffline(true);
    const away = Date.now() + OUTAGE;
    await person.answer(place);
    await page.locator('.save-status[data-state=waiting]').waitFor();
    assert.match(await status.innerText(), /Your last answer is not saved yet/);
    const warned = await page.evaluate(() => {
      const leaving = new Event('beforeunload', { cancelable: true });
      dispatchEvent(leaving);
      return leaving.defaultPrevented;
    });
    assert.equal(warned, true);
    await page.waitForTimeout(Math.max(0, away - Date.now()));
    assert.equal(await status.getAttribute('data-state'), 'waiting');
    await page.context().setOffline(false);
    await person.settled(place);
    await page.locator('.save-status[data-state=saved]').waitFor({ state: 'attached' });
    const kept = await finish(program, person);
    const first = kept.answers[0]?.rt_us ?? 0;
    assert.ok(first < (OUTAGE / 2) * 1000, `the response time is the rater's, not the network's: ${first}`);
  });

  test('the server is killed between an answer and its receipt and restarted', async () => {
    const program = await here.studies.serve(ALONE);
    const page = await here.raters.rater(program.raters);
    const person = new Person(page);
    await person.begin();
    let place = await person.settled();
    // The answer arrives and is stored, but its receipt is lost with the server.
    await page.route('**/api/answer', async (route) => {
      await route.fetch();
      await program.kill();
      await route.abort();
      await page.unroute('**/api/answer');
    });
    await person.answer(place);
    await page.locator('.save-status[data-state=waiting]').waitFor();
    await program.start();
    place = await person.settled(place);
    // The server stops before the answer arrives.
    await program.kill();
    await person.answer(place);
    await page.locator('.save-status[data-state=waiting]').waitFor();
    await program.start();
    place = await person.settled(place);
    await finish(program, person);
    assert.deepEqual(faultsOf(page), []);
  });

  test('the server is killed during a timed block and restarted', async () => {
    const program = await here.studies.serve(hypeTime({ raters: 1 }), { needs: NEEDS });
    const page = await here.raters.rater(program.raters);
    const person = new Person(page, 'keyboard');
    await person.begin();
    let place = await person.settled();
    while (place.screen !== 'timed') {
      await person.answer(place);
      place = await person.settled(place);
    }
    await program.kill();
    await person.answer(place);
    await page.locator('.save-status[data-state=waiting]').waitFor();
    await program.start();
    const kept = await finish(program, person);
    assert.equal(kept.answers.length, 6);
  });

  test('the browser is killed with an unsent answer and reopened', async (t) => {
    const program = await here.studies.serve({ ...contrast, raters: { per_item: 1 } });
    const profile = await mkdtemp(join(tmpdir(), 'hype-browser-'));
    const first = await OwnBrowser.start(profile);
    const page = await visit(first.page, program.raters);
    const person = new Person(page);
    await person.begin();
    let place = await person.settled();
    await person.answer(place);
    place = await person.settled(place);
    // A browser writes its cookies to disk only from time to time.
    await first.wroteItsCookie();
    await page.context().setOffline(true);
    await person.answer(place);
    await page.locator('.save-status[data-state=waiting]').waitFor();
    await first.kill();
    const second = await OwnBrowser.start(profile);
    // A browser that is left open would keep the tests from ending.
    t.after(async () => {
      await second.kill();
      await rm(profile, { recursive: true, force: true });
    });
    const again = new Person(await visit(second.page, program.raters), 'mouse');
    again.given.push(...person.given);
    const there = await again.settled();
    assert.notEqual(there.trial, place.trial);
    await finish(program, again);
  });
});
