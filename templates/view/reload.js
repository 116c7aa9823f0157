// In pages that are made again while they are open: reloads the page when its file holds another one. A page may not read
// a file, be it its own. But it can show one in a frame: the page in the frame says which one it is, and no more.
(() => {
  const PROBE = '?probe';
  const stamp = document.documentElement.dataset.stamp;
  if (window !== parent && location.search === PROBE) {
    parent.postMessage(stamp, '*');
    window.stop();
    return;
  }
  let frame;
  addEventListener('message', (message) => {
    if (frame && message.source === frame.contentWindow && message.data !== stamp) {
      location.reload();
    }
  });
  setInterval(() => {
    if (!document.hidden) {
      frame?.remove();
      frame = document.createElement('iframe');
      frame.hidden = true;
      frame.src = location.pathname + PROBE;
      document.documentElement.append(frame);
    }
  }, 1000);
})();
