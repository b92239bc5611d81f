/**
 * With jupyter-collaboration people have colours, and it is seen who looks at a terminal just now.
 * Shown only: a client can claim anything there, so turns and locks never come from it.
 */
import type { JupyterFrontEnd, LabShell } from '@jupyterlab/application';

import type { ITerminalServices } from './views/services';
import { claimed, type IAvatar } from './stores/avatars';

/** Our field in each person's awareness: the id of the terminal they look at, or null. */
const FIELD = 'cabinetTerminal';
const TAB = 'cabinet-terminal-';

interface IClaim {
  user?: { username?: unknown; display_name?: unknown; initials?: unknown; color?: unknown };
  cabinetTerminal?: unknown;
}

/** Done at once where real-time collaboration is off. */
export async function showPresence(
  app: JupyterFrontEnd,
  services: ITerminalServices
): Promise<void> {
  const awareness = await globalAwareness(app);
  if (!awareness) {
    return;
  }
  const tell = () => {
    const id = app.shell.currentWidget?.id ?? '';
    const looks = id.startsWith(TAB) && !document.hidden ? id.slice(TAB.length) : null;
    if ((awareness.getLocalState() as IClaim | null)?.cabinetTerminal !== looks) {
      awareness.setLocalStateField(FIELD, looks);
    }
  };
  (app.shell as LabShell).currentChanged?.connect(tell);
  document.addEventListener('visibilitychange', tell);
  tell();
  const take = () => {
    const avatars = new Map<string, IAvatar>();
    const looking = new Map<string, Set<string>>();
    (awareness.getStates() as Map<number, IClaim>).forEach(({ user, cabinetTerminal }) => {
      const username = user?.username;
      if (typeof username !== 'string') {
        return;
      }
      const display_name = typeof user?.display_name === 'string' ? user.display_name : username;
      avatars.set(username, claimed({ username, display_name }, user ?? {}));
      if (typeof cabinetTerminal === 'string') {
        looking.set(username, (looking.get(username) ?? new Set()).add(cabinetTerminal));
      }
    });
    services.avatars.take(avatars, looking);
  };
  awareness.on('change', take);
  take();
}

/** The awareness of the whole server; null without jupyter-collaboration, or where it is off. */
async function globalAwareness(app: JupyterFrontEnd) {
  try {
    const { IGlobalAwareness } = await import('@jupyter/collaborative-drive');
    return await app.resolveOptionalService(IGlobalAwareness);
  } catch {
    return null; // nobody shares the module
  }
}
