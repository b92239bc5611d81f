import type { Terminal } from '@xterm/xterm';

import { leaveByEscape } from './keys';

/** As xterm builds it. */
function parts() {
  const host = document.createElement('div');
  host.innerHTML = '<div class="xterm-viewport"></div><textarea></textarea>';
  document.body.append(host);
  const frame = host.querySelector<HTMLElement>('.xterm-viewport')!;
  const textarea = host.querySelector('textarea')!;
  leaveByEscape(host, { textarea } as unknown as Terminal, 'Terminal. Press Enter to type in it.');
  return { frame, textarea };
}

const press = (node: HTMLElement, key: string) =>
  node.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));

describe('the frame of a terminal', () => {
  it('has a name, and is the only Tab stop', () => {
    const { frame, textarea } = parts();
    expect(frame.getAttribute('role')).toBe('group');
    expect(frame.getAttribute('aria-label')).toBe('Terminal. Press Enter to type in it.');
    expect([frame.tabIndex, textarea.tabIndex]).toEqual([0, -1]);
  });

  it('is left for the program by Enter, and has the focus again after Esc Esc', () => {
    const { frame, textarea } = parts();
    frame.focus();
    press(frame, 'Enter');
    expect(document.activeElement).toBe(textarea);
    press(textarea, 'Escape');
    expect(document.activeElement).toBe(textarea);
    press(textarea, 'Escape');
    expect(document.activeElement).toBe(frame);
  });
});
