/** With the real parser of xterm: the hooks run before its own handlers. */
import { Terminal } from '@xterm/xterm';

import { hookQueries, isReport, type IAnswers } from './queries';

const ANSWERS: IAnswers = {
  cursor: () => ({ row: 3, column: 7 }),
  color: which =>
    which === 'background' ? 'rgb:1111/2222/3333' : which === 4 ? 'rgb:0/0/ff' : null,
  mode: (mode, dec) => (dec && mode === 2004 ? 1 : 0),
  setting: name => (name === 'm' ? '0m' : null)
};

async function asked(query: string, hooked = true): Promise<{ ours: string[]; xterms: string[] }> {
  const xterm = new Terminal({ allowProposedApi: true });
  const ours: string[] = [];
  const xterms: string[] = [];
  if (hooked) {
    hookQueries(xterm.parser, ANSWERS, data => ours.push(data));
  }
  xterm.onData(data => xterms.push(data));
  await new Promise<void>(resolve => xterm.write(query, resolve));
  xterm.dispose();
  return { ours, xterms };
}

const QUERIES: [string, string, string[]][] = [
  ['DA1', '\x1b[c', ['\x1b[?1;2c']],
  ['DA1 with a zero', '\x1b[0c', ['\x1b[?1;2c']],
  ['DA1 as C1', '\x9bc', ['\x1b[?1;2c']],
  ['DA2', '\x1b[>c', ['\x1b[>0;276;0c']],
  ['DSR', '\x1b[5n', ['\x1b[0n']],
  ['CPR', '\x1b[6n', ['\x1b[3;7R']],
  ['DECXCPR', '\x1b[?6n', ['\x1b[?3;7R']],
  ['DECRQM', '\x1b[?2004$p', ['\x1b[?2004;1$y']],
  ['ANSI mode', '\x1b[4$p', ['\x1b[4;0$y']],
  ['DECRQSS', '\x1bP$qm\x1b\\', ['\x1bP1$r0m\x1b\\']],
  ['unknown DECRQSS', '\x1bP$qz\x1b\\', ['\x1bP0$r\x1b\\']],
  ['background colour', '\x1b]11;?\x07', ['\x1b]11;rgb:1111/2222/3333\x1b\\']],
  ['two colours at once', '\x1b]10;?;?\x07', ['\x1b]11;rgb:1111/2222/3333\x1b\\']],
  ['palette colour', '\x1b]4;4;?\x07', ['\x1b]4;4;rgb:0/0/ff\x1b\\']]
];

describe('hookQueries', () => {
  it.each(QUERIES)('answers %s itself, and xterm does not', async (_, query, answer) => {
    expect(await asked(query)).toEqual({ ours: answer, xterms: [] });
  });

  it.each(QUERIES.filter(([name]) => !/colour/.test(name)))(
    'stands where xterm would answer %s by itself',
    async (_, query) => expect((await asked(query, false)).xterms).toHaveLength(1)
  );

  it('lets text, titles and the setting of colours through', async () => {
    expect(await asked('plain\x1b[31m\x1b]0;title\x07\x1b]11;#fff\x07')).toEqual({
      ours: [],
      xterms: []
    });
  });

  it('answers no status report it does not know', async () => {
    expect(await asked('\x1b[?15n\x1b[9n\x1b[1c')).toEqual({ ours: [], xterms: [] });
  });
});

describe('isReport', () => {
  it.each(['\x1b[I', '\x1b[O', '\x1b[<0;3;4M', '\x1b[<0;3;4m', '\x1b[M !!'])('knows %j', data =>
    expect(isReport(data)).toBe(true)
  );

  it.each(['a', '\x1b', '\x1b[A', '\x1bOA', '\x1b[200~x\x1b[201~'])('takes %j as typed', data =>
    expect(isReport(data)).toBe(false)
  );
});
