// Filling the screen before a timed block, where the browser can.

/** How long the window may take to settle, in milliseconds. */
const SETTLE = 400;

/** Fills the screen and waits until the window's size is at rest; goes on as it is where that is denied. */
export async function fillScreen() {
  if (!document.fullscreenEnabled || document.fullscreenElement !== null) return;
  try {
    await document.documentElement.requestFullscreen({ navigationUI: 'hide' });
  } catch {
    return;
  }
  await atRest();
}

/** Gives the screen back. */
export function leaveScreen() {
  if (document.fullscreenElement !== null) document.exitFullscreen().catch(() => undefined);
}

/** @returns {Promise<void>} when the window has kept its size for a while */
function atRest() {
  return new Promise((resolve) => {
    const done = () => {
      removeEventListener('resize', again);
      resolve();
    };
    let timer = setTimeout(done, SETTLE);
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(done, SETTLE);
    };
    addEventListener('resize', again);
  });
}
