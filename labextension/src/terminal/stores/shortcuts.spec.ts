import { TerminalShortcuts, type IShortcut } from './shortcuts';

const SHORTCUTS: IShortcut[] = [
  { command: 'cabinet:agents', keys: ['Alt Shift G'], selector: 'body' },
  { command: 'cabinet:terminal-give', keys: ['Alt G'], selector: '.jp-mod-asked' },
  { command: 'cabinet:activity', keys: ['Ctrl K', 'R'], selector: 'body' },
  { command: 'cabinet:next-change', keys: ['F8'], selector: '.jp-Cabinet-mod-changes' },
  { command: 'filebrowser:refresh', keys: ['Ctrl R'], selector: 'body' }
];

describe('the keys of shortcuts in a terminal', () => {
  let terminal: HTMLElement;
  let disabled: string[];
  let shortcuts: TerminalShortcuts;
  const takes = (key: string, at = 0) => shortcuts.takes(key, terminal, at);

  beforeEach(() => {
    terminal = document.body.appendChild(document.createElement('div'));
    disabled = [];
    shortcuts = new TerminalShortcuts(
      () => SHORTCUTS,
      command => !disabled.includes(command)
    );
  });

  afterEach(() => terminal.remove());

  it('are ours where their selectors match, and only for commands that can run', () => {
    expect(takes('Alt Shift G')).toBe(true);
    expect(takes('F8')).toBe(false);
    expect(takes('Alt G')).toBe(false);
    terminal.className = 'jp-mod-asked';
    expect(takes('Alt G')).toBe(true);
    disabled = ['cabinet:terminal-give'];
    expect(takes('Alt G')).toBe(false);
  });

  it('are the program’s where they belong to others, or to nobody', () => {
    expect(['Ctrl C', 'Ctrl R', 'Ctrl W', 'R', ''].filter(key => takes(key))).toEqual([]);
  });

  it('are ours one after another where a shortcut has several, in time', () => {
    expect([takes('Ctrl K', 0), takes('R', 500), takes('R', 600)]).toEqual([true, true, false]);
    expect([takes('Ctrl K', 2000), takes('R', 3500)]).toEqual([true, false]);
    expect([takes('Ctrl K', 5000), takes('Alt Shift G', 5100)]).toEqual([true, true]);
  });
});
