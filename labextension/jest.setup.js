// jsdom has no canvas and says so loudly; xterm then does without.
HTMLCanvasElement.prototype.getContext = () => null;
