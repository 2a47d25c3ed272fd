// Sets the theme before the first paint, so that nothing flashes. The same key and values as src/design/theme.ts.
(() => {
  let theme = 'system';
  try {
    theme = localStorage.getItem('palisade.theme') || 'system';
  } catch {
    // Storage is switched off: the theme of the system.
  }
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
