// Options of one scale are equals: they stand in one line where each holds its label in two lines of text, and otherwise in one
// column, and all have one width and one height.

/** The lines of text that a label may have in a line of options. */
const LINES = 2;

/**
 * Decides for every scale in a part of the page, which is in the document.
 * @param {HTMLElement} around
 */
export function alignScales(around) {
  const scales = /** @type {HTMLElement[]} */ ([...around.querySelectorAll('.scale')]);
  for (const scale of scales) scale.dataset['along'] = 'line';
  const crowded = scales.filter((scale) => [...scale.children].some(isCrowded));
  for (const scale of crowded) scale.dataset['along'] = 'column';
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
