// Full screen for timed blocks, if the browser allows it.

/** How long the window may take to settle, in milliseconds. */
const SETTLE = 400;

/** Enters full screen and waits for the window's size to settle; returns without it if the browser refuses. */
export async function fillScreen() {
  if (!document.fullscreenEnabled || document.fullscreenElement !== null) return;
  try {
    await document.documentElement.requestFullscreen({ navigationUI: 'hide' });
  } catch {
    return;
  }
  await atRest();
}

/** Leaves full screen. */
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
