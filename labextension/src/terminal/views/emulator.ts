/**
 * xterm as our terminals use it: colours and font of the page, a long scrollback, links that are followed only when it
 * is seen where they lead.
 */
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';

import { safeUrl } from '../../shared/untrusted';
import { terminalTheme } from './theme';

/** Lines kept above the screen. */
const SCROLLBACK = 10_000;

type Confirm = (address: URL) => Promise<boolean>;

/** Not drawn anywhere yet. `confirmLink` is asked before a link is followed that hides behind another text. */
export function makeEmulator(
  host: HTMLElement,
  look: { fontSize: number; screenReader: boolean },
  confirmLink: Confirm
): Terminal {
  const xterm = new Terminal({
    allowProposedApi: true,
    cursorBlink: false,
    cursorInactiveStyle: 'outline',
    fontFamily: getComputedStyle(host).getPropertyValue('--jp-code-font-family') || 'monospace',
    fontSize: look.fontSize,
    linkHandler: {
      activate: (_, address) => void follow(address, confirmLink),
      allowNonHttpProtocols: false
    },
    macOptionIsMeta: false,
    minimumContrastRatio: 4.5,
    screenReaderMode: look.screenReader,
    scrollback: SCROLLBACK,
    theme: terminalTheme(host)
  });
  // Emoji take two columns, as for shells, agent CLIs and the server (`terminals/vt/widths.py`).
  xterm.loadAddon(new Unicode11Addon());
  xterm.unicode.activeVersion = '11';
  // The text of such a link is its address.
  xterm.loadAddon(new WebLinksAddon((_, address) => void follow(address, async () => true)));
  return xterm;
}

/** Only web addresses. */
async function follow(address: string, confirm: Confirm): Promise<void> {
  const url = safeUrl(address);
  if (url && (await confirm(url))) {
    window.open(url.href, '_blank', 'noopener,noreferrer');
  }
}
