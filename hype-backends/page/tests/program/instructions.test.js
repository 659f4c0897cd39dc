// The instructions: entry test, pay, keys, examples and the question on them, in every language.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { examine } from '../browser/axe.js';
import { Person } from '../browser/person.js';
import { ON_A_PHONE, act, faultsOf } from '../browser/raters.js';
import { LOCALES, sized } from '../size.js';
import { built } from './program.js';
import { setting } from './setting.js';
import * as study from './studies.js';

/**
 * @import { Page } from "playwright-core"
 * @import { Program } from "./program.js"
 */

const QUESTION = 'What do you press when an image looks drawn?';
const OPTIONS = ['R, for real', 'F, for fake', 'Nothing'];

const PAGE = {
  title: 'Photographs and paintings',
  instructions: {
    examples: [
      { image: '../drawn/images/real/0001.png', answer: 'real' },
      { image: '../drawn/images/weak/0002.png', answer: 'generated', note: 'The balls have no shadows.' },
    ],
    comprehension: { question: QUESTION, options: OPTIONS, answer: OPTIONS[1] },
  },
  translations: {
    de: {
      'Photographs and paintings': 'Fotos und Gemälde',
      [QUESTION]: 'Was drücken Sie, wenn ein Bild gezeichnet aussieht?',
      'R, for real': 'R, für echt',
      'F, for fake': 'F, für künstlich',
      Nothing: 'Nichts',
      'The balls have no shadows.': 'Die Kugeln werfen keinen Schatten.',
    },
  },
};

/** Texts that only a translation has. @type {Record<string, { test: string, guidance: string, question: string }>} */
const READ = {
  en: { test: 'First, an entry test', guidance: 'Some are real', question: 'Is this image real or fake?' },
  de: {
    test: 'Zuerst ein Eingangstest',
    guidance: 'Einige sind echt',
    question: 'Ist dieses Bild echt oder künstlich?',
  },
  es: { test: 'Primero, una prueba', guidance: 'Algunas son reales', question: '¿Esta imagen es real o falsa?' },
  zh: { test: '首先是入门测试', guidance: '其中一些是真实的', question: '这张图片是真的还是假的？' },
  ar: { test: 'أولًا، اختبار قبول', guidance: 'بعضها حقيقي', question: 'هل هذه الصورة حقيقية أم مزيفة؟' },
};

/** Waits until the examples are shown and the study can begin. @param {Page} page */
async function ready(page) {
  await page.locator('[data-action=begin]:enabled').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.example img').length === 2);
}

describe('the instructions', { ...built, concurrency: 3 }, () => {
  const here = setting();
  /** @type {Program} */
  let program;
  /** @type {Program} */
  let instrument;
  before(async () => {
    const qualification = { trials: 4, pass: { rule: 'both-classes', at_least: 0.5 } };
    program = await here.studies.serve(study.hypeInfinity({ qualification, raters: 20 }), PAGE);
    const heim = { ...study.heimImage, raters: { per_item: 20 } };
    instrument = await here.studies.serve(heim, { translate_instruments: true });
  });

  for (const [locale, { test: heading, guidance, question }] of Object.entries(READ)) {
    if (!sized(LOCALES, ['ar']).includes(locale)) continue;
    test(`${locale}: everything is explained in the rater's language`, async () => {
      for (const device of [{}, ON_A_PHONE]) {
        const page = await here.raters.rater(program.raters, { locale, ...device });
        await new Person(page).consent();
        await ready(page);
        const text = await page.locator('main').innerText();
        assert.ok(text.includes(heading) && text.includes(guidance), text);
        const foreign = await page.locator('main [lang=en]').count();
        assert.equal(foreign > 0, locale !== 'en' && locale !== 'de', `${locale}: ${foreign}`);
        await examine(page, locale === 'en' ? 'examples' : `${locale}-examples`);
        await page.locator('[data-form=comprehension] input').nth(1).check();
        await act(page, 'begin');
        await page.locator('form[data-trial]').waitFor();
        assert.equal(await page.locator('h1.question').innerText(), question);
        assert.deepEqual(faultsOf(page), []);
        await page.context().close();
      }
    });
  }

  test('a wrong answer leads back to the instructions, and none is asked for', async () => {
    const page = await here.raters.rater(program.raters);
    await new Person(page).consent();
    await ready(page);
    const fault = page.locator('[data-form=comprehension] .fault');
    await act(page, 'begin');
    assert.equal(await fault.innerText(), 'Please answer this question.');
    await page.locator('[data-form=comprehension] input').nth(2).check();
    await act(page, 'begin');
    await page.waitForFunction(() => document.querySelector('.fault')?.textContent?.includes('not right'));
    await page.reload();
    await ready(page);
    assert.match(await fault.innerText(), /not right/, 'the server remembers');
    await page.locator('[data-form=comprehension] input').nth(1).check();
    await page.keyboard.press('Enter');
    await page.locator('form[data-trial]').waitFor();
    await page.context().close();
  });

  test('a translated instrument is chosen by the study and logged', async () => {
    const page = await here.raters.rater(instrument.raters, { locale: 'de' });
    const person = new Person(page);
    await person.begin();
    await person.settled();
    assert.match(await page.locator('h1.question').innerText(), /^Wie gut passt das Bild zur Beschreibung/);
    await page.context().close();
  });
});
