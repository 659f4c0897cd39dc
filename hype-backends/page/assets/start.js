// Loads the page's module. It is asked for again where it does not arrive; the words in the document say so when that does not
// help, and when the module fails before it has shown anything. This script stands in the document itself.

{
  /** The waits between attempts, in milliseconds. */
  const WAITS = [1000, 2000, 4000, 8000];
  /** The time after which a page that shows nothing is said to be stuck, in milliseconds. */
  const PATIENCE = 20000;
  const main = document.currentScript?.dataset['main'] ?? '';

  const tell = () => {
    for (const words of document.querySelectorAll('.stuck')) words.toggleAttribute('hidden', false);
  };

  /** @param {number} attempt */
  const load = (attempt) => {
    const script = document.createElement('script');
    script.type = 'module';
    // A module that did not arrive is not asked for again by the same address.
    script.src = attempt === 0 ? main : `${main}?${attempt}`;
    script.addEventListener('error', () => {
      const wait = WAITS[attempt];
      if (wait === undefined) tell();
      else setTimeout(load, wait, attempt + 1);
    });
    document.head.append(script);
  };

  addEventListener('error', tell);
  addEventListener('unhandledrejection', tell);
  setTimeout(tell, PATIENCE);
  load(0);
}
