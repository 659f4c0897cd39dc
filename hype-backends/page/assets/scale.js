// Options of one scale are equals: they stand in one line where each holds its label in two lines of text, and otherwise in one
// column, and all have one width and one height.

/** The lines of text that a label may have in a line of options. */
const LINES = 2;

/** How tight a column is: as little as shows it whole. */
const TIGHT = ['not', 'some', 'most'];

/**
 * Decides for every scale in a part of the page, which is in the document.
 * @param {HTMLElement} around
 */
export function alignScales(around) {
  const scales = /** @type {HTMLElement[]} */ ([...around.querySelectorAll('.scale')]);
  for (const scale of scales) Object.assign(scale.dataset, { along: 'line', tight: 'not' });
  const crowded = scales.filter((scale) => [...scale.children].some(isCrowded));
  for (const scale of crowded) scale.dataset['along'] = 'column';
  for (const tight of TIGHT) for (const scale of crowded.filter(isCut)) scale.dataset['tight'] = tight;
}

/** Whether a scale is higher than what of the questions is in sight above the way on. @param {HTMLElement} scale */
function isCut(scale) {
  const asking = /** @type {HTMLElement | null} */ (scale.closest('.asking'));
  const bar = /** @type {HTMLElement | null} */ (asking?.querySelector('.bar') ?? null);
  return asking !== null && bar !== null && scale.offsetHeight > asking.clientHeight - bar.offsetHeight;
}

/** Whether an option is too narrow for its label. @param {Element} option */
function isCrowded(option) {
  const { left, right } = option.getBoundingClientRect();
  return [...option.children].some((part) => {
    const box = part.getBoundingClientRect();
    const height = parseFloat(getComputedStyle(part).lineHeight);
    const tooHigh = part.tagName === 'SPAN' && box.height > (LINES + 0.5) * height;
    return tooHigh || box.left < left || box.right > right || part.scrollWidth > part.clientWidth + 1;
  });
}
