// Stores are tested without a DOM where that works (`@jest-environment node`): then nothing of it is patched.
if (typeof window !== 'undefined') {
  require('@jupyterlab/testing/lib/jest-shim');
  // jsdom has no canvas and says so loudly; xterm then does without.
  HTMLCanvasElement.prototype.getContext = () => null;
}
