// What xterm.js 5.5 makes of a program's output: an oracle for the tests of the server's terminals.
//
// Reads a JSON list of steps on each line: ["write", base64], ["resize", cols, rows], ["reset"], after
// ["size", cols, rows]. Answers each line with the state that the terminal is in then, and with what it has answered
// to queries. Reaches into the emulator's inside: the version is pinned, and these tests fail when it changes.

import { createInterface } from 'node:readline';
import unicode11 from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';

const REPORT = 0;
const WINDOW_OPTIONS = { getWinSizePixels: true, getCellSizePixels: true, getWinSizeChars: true };

function open(cols, rows) {
  const options = {
    cols,
    rows,
    allowProposedApi: true,
    scrollback: 200,
    windowOptions: WINDOW_OPTIONS
  };
  const terminal = new xterm.Terminal({ ...options, logLevel: 'off' });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  const answers = [];
  const input = terminal._core._inputHandler;
  terminal.onData(data => answers.push(data));
  // A browser answers these; without one they are only asked for.
  input.onColor(event =>
    answers.push(...event.filter(each => each.type === REPORT).map(() => 'colour'))
  );
  input.onRequestWindowsOptionsReport(type => answers.push(`window ${type}`));
  return { terminal, answers, title: '', listening: terminal.onTitleChange };
}

function page(buffer) {
  const lines = [];
  for (let index = 0; index < buffer.lines.length; index += 1) {
    const line = buffer.lines.get(index);
    lines.push([line.translateToString(true), Array.from(line._data).join()]);
  }
  return {
    lines,
    x: buffer.x,
    y: buffer.y,
    base: buffer.ybase,
    region: [buffer.scrollTop, buffer.scrollBottom]
  };
}

// Whether a link or an underline's style is on is kept elsewhere than the rest.
const EXTENDED = 1 << 28;

function state({ terminal, answers, title }) {
  const core = terminal._core;
  const { buffers } = core._bufferService;
  const attributes = core._inputHandler._curAttrData;
  const { cursorStyle, cursorBlink, convertEol } = core.optionsService.rawOptions;
  return {
    answers,
    screen: { normal: page(buffers.normal), alternate: page(buffers.alt) },
    modes: {
      active: terminal.buffer.active.type,
      ...core.coreService.decPrivateModes,
      ...core.coreService.modes,
      hidden: core.coreService.isCursorHidden,
      mouse: core.coreMouseService.activeProtocol,
      encoding: core.coreMouseService.activeEncoding,
      level: core._charsetService.glevel,
      characters: core._charsetService.charset ?? null,
      region: [buffers.active.scrollTop, buffers.active.scrollBottom],
      look: [attributes.fg, attributes.bg & ~EXTENDED],
      linked: attributes.extended.urlId !== 0,
      cursorStyle,
      cursorBlink,
      convertEol,
      title
    }
  };
}

async function run(steps) {
  const [[, cols, rows], ...rest] = steps;
  const emulator = open(cols, rows);
  emulator.listening(title => (emulator.title = title));
  for (const [name, ...values] of rest) {
    if (name === 'write') {
      await new Promise(done => emulator.terminal.write(Buffer.from(values[0], 'base64'), done));
    } else if (name === 'resize') {
      emulator.terminal.resize(values[0], values[1]);
    } else {
      emulator.terminal.reset();
    }
  }
  const result = state(emulator);
  emulator.terminal.dispose();
  return result;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
}
