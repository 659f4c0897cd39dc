// Whether a trial without time limits shows everything at once.

/**
 * @import { Page } from "playwright-core"
 */

/**
 * What is wrong with a trial's layout.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export function faultsOfLayout(page) {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    /** @type {string[]} */
    const faults = [];
    /** Whether all of an element can be seen. @param {Element} element */
    const isVisible = (element) => {
      const box = element.getBoundingClientRect();
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        const { display, overflowY } = getComputedStyle(around);
        const clips = around === document.body || (display !== 'contents' && overflowY !== 'visible');
        const { left, top, right, bottom } =
          around === document.body
            ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
            : around.getBoundingClientRect();
        const inside = box.left > left - 1 && box.top > top - 1 && box.right < right + 1 && box.bottom < bottom + 1;
        if (clips && !inside) return false;
      }
      return box.width > 0 && box.height > 0;
    };
    const images = [...document.querySelectorAll('.scaled')];
    // Images of other conditions than sources may be smaller.
    const compared = images.filter((image) => image.closest('.condition:not(.source)') === null);
    const scales = compared.map(
      (image) => (image.getBoundingClientRect().width * devicePixelRatio) / Number(image.getAttribute('width')),
    );
    const [scale = NaN] = scales;
    if (!scales.every((one) => Math.abs(one / scale - 1) < 0.002)) faults.push(`scales differ: ${scales}`);
    if (scale > 1.002 && Math.abs(scale - Math.round(scale)) > 0.002) faults.push(`enlarged by ${scale}`);
    for (const image of images) {
      const { left, right } = image.getBoundingClientRect();
      if (Math.min(left, innerWidth - right) < 8) faults.push('an image touches the edge of the window');
    }
    const questions = [...document.querySelectorAll('.question')];
    for (const question of questions) {
      question.scrollIntoView({ block: 'nearest' });
      if (!isVisible(question)) faults.push(`the question cannot be seen: ${question.textContent}`);
      for (const image of images) if (!isVisible(image)) faults.push('an image cannot be seen whole');
    }
    for (const button of document.querySelectorAll('.buttons button')) {
      if (!isVisible(button)) faults.push(`the button cannot be seen: ${button.textContent}`);
    }
    questions[0]?.scrollIntoView({ block: 'nearest' });
    return faults;
  });
}
