// Which part of a long list is asked for, and which is drawn.

/** The most rows that are drawn, which is the most that the server tells at once. */
export const ROWS = 50;

/**
 * The first row to ask for: the same as before while all rows that can be seen are drawn, and otherwise such that they are in the
 * middle.
 * @param {{ skip: number, rows: number }} drawn the rows that are drawn
 * @param {{ first: number, last: number }} seen the rows that can be seen
 * @param {number} all
 */
export function firstRow({ skip, rows }, { first, last }, all) {
  const most = Math.max(0, all - ROWS);
  const end = Math.min(last, all - 1);
  const isDrawn = first >= skip && end < skip + rows;
  if (isDrawn && skip <= most) return skip;
  return Math.max(0, Math.min(most, first - Math.floor((ROWS - (end - first + 1)) / 2)));
}

/**
 * The rows that can be seen.
 * @param {{ top: number, height: number }} view the part of the list that is scrolled to
 * @param {number} row the height of a row
 */
export function seenRows({ top, height }, row) {
  return { first: Math.max(0, Math.floor(top / row)), last: Math.max(0, Math.ceil((top + height) / row) - 1) };
}
