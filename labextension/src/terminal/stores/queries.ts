/**
 * The queries of programs that a terminal emulator answers, and our answers to them.
 * The hooks run before xterm's own handlers (5.5 answers exactly these), so that its answers never
 * mix with keys: the primary's answers travel as replies, everybody else's are swallowed.
 * xterm is known by its parser's and buffer's shape only: no DOM.
 */
/** What xterm gives back for a handler. */
export interface IHook {
  dispose(): void;
}

/** The part of xterm’s parser that is used. */
export interface IParser {
  registerCsiHandler(
    id: { prefix?: string; intermediates?: string; final: string },
    callback: (params: (number | number[])[]) => boolean
  ): IHook;
  registerOscHandler(ident: number, callback: (data: string) => boolean): IHook;
  registerDcsHandler(
    id: { prefix?: string; intermediates?: string; final: string },
    callback: (data: string, params: (number | number[])[]) => boolean
  ): IHook;
}

/** What the emulator knows of itself. */
export interface IAnswers {
  /** From 1. */
  cursor: () => { row: number; column: number };
  /** `rgb:rrrr/gggg/bbbb`, or null for a colour that is not known. */
  color: (which: 'foreground' | 'background' | 'cursor' | number) => string | null;
  /** 1 set, 2 reset, 0 unknown (DECRPM). */
  mode: (mode: number, dec: boolean) => 0 | 1 | 2;
  /** The value part of a DECRQSS answer, or null. */
  setting: (name: string) => string | null;
}

const ESC = '\x1b';
const ST = `${ESC}\\`;
const COLORS: Readonly<Record<number, 'foreground' | 'background' | 'cursor'>> = {
  10: 'foreground',
  11: 'background',
  12: 'cursor'
};

/** Answer with `reply`, which decides whether this viewer may. Returns what takes the hooks out again. */
export function hookQueries(
  parser: IParser,
  answers: IAnswers,
  reply: (data: string) => void
): IHook {
  const hooks = [
    ...deviceAttributes(parser, reply),
    ...statusReports(parser, answers, reply),
    ...modeRequests(parser, answers, reply),
    ...colorQueries(parser, answers, reply),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, name => {
      const value = answers.setting(name);
      reply(value === null ? `${ESC}P0$r${ST}` : `${ESC}P1$r${value}${ST}`);
      return true;
    })
  ];
  return { dispose: () => hooks.forEach(hook => hook.dispose()) };
}

function deviceAttributes(parser: IParser, reply: (data: string) => void): IHook[] {
  const only = (answer: string) => (params: (number | number[])[]) => {
    if (!params[0]) {
      reply(answer);
    }
    return true;
  };
  return [
    parser.registerCsiHandler({ final: 'c' }, only(`${ESC}[?1;2c`)),
    parser.registerCsiHandler({ prefix: '>', final: 'c' }, only(`${ESC}[>0;276;0c`))
  ];
}

function statusReports(parser: IParser, answers: IAnswers, reply: (data: string) => void): IHook[] {
  const position = (mark: string) => {
    const { row, column } = answers.cursor();
    reply(`${ESC}[${mark}${row};${column}R`);
  };
  return [
    parser.registerCsiHandler({ final: 'n' }, params => {
      if (params[0] === 5) {
        reply(`${ESC}[0n`);
      } else if (params[0] === 6) {
        position('');
      }
      return true;
    }),
    parser.registerCsiHandler({ prefix: '?', final: 'n' }, params => {
      if (params[0] === 6) {
        position('?');
      }
      return true;
    })
  ];
}

function modeRequests(parser: IParser, answers: IAnswers, reply: (data: string) => void): IHook[] {
  const request = (mark: string, dec: boolean) => (params: (number | number[])[]) => {
    const mode = Number(params[0]);
    reply(`${ESC}[${mark}${mode};${answers.mode(mode, dec)}$y`);
    return true;
  };
  return [
    parser.registerCsiHandler({ intermediates: '$', final: 'p' }, request('', false)),
    parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, request('?', true))
  ];
}

function colorQueries(parser: IParser, answers: IAnswers, reply: (data: string) => void): IHook[] {
  const tell = (head: string, value: string | null) =>
    value !== null && reply(`${ESC}]${head};${value}${ST}`);
  const dynamic = [10, 11, 12].map(first =>
    parser.registerOscHandler(first, data => {
      const parts = data.split(';'); // "?;?" asks for this colour and the next
      if (!parts.includes('?')) {
        return false; // sets a colour: xterm's own handler does that
      }
      parts.forEach((part, index) => {
        const which = COLORS[first + index];
        if (part === '?' && which) {
          tell(String(first + index), answers.color(which));
        }
      });
      return true;
    })
  );
  const palette = parser.registerOscHandler(4, data => {
    const parts = data.split(';');
    if (!parts.includes('?')) {
      return false;
    }
    for (let index = 0; index + 1 < parts.length; index += 2) {
      if (parts[index + 1] === '?' && /^\d{1,3}$/.test(parts[index])) {
        tell(`4;${parts[index]}`, answers.color(Number(parts[index])));
      }
    }
    return true;
  });
  return [...dynamic, palette];
}

/** Whether this is an automatic report that xterm itself makes (focus, mouse), not a person's key. */
export function isReport(data: string): boolean {
  return /^\x1b\[(?:[IO]|M[\s\S]{3}|<\d+;\d+;\d+[Mm])$/.test(data);
}
