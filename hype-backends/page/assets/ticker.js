// A worker that ticks: browsers slow down the timers of windows that nobody sees, but not those of workers.

setInterval(() => postMessage(null), 3000);
