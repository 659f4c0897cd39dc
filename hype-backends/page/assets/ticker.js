// A worker that ticks: browsers slow down the timers of hidden windows, but not those of workers.

setInterval(() => postMessage(null), 3000);
