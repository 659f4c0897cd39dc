import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wayOfAsking } from '../assets/form.js';

/** A trial with one choice. @param {string} phase */
const trial = (phase) =>
  /** @type {any} */ ({
    phase,
    parts: [],
    questions: [{ id: 'sharp', form: { choice: { options: [{ value: 'no' }, { value: 'yes' }] } } }],
  });

test('one press answers a judgment, and no page of a survey, which can end the session', () => {
  assert.equal(wayOfAsking(trial('main')), 'judgment');
  assert.equal(wayOfAsking(trial('before')), 'form');
  assert.equal(wayOfAsking(trial('after')), 'form');
});
