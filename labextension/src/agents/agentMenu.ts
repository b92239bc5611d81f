/**
 * The menu of what can be done with one agent as a whole. Loaded with what it opens from.
 */
import type { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import { Commands } from '../shared/commands';

/** Null: a line between them. */
const ENTRIES = [
  Commands.renameAgent,
  Commands.duplicateAgent,
  Commands.exportAgent,
  null,
  Commands.archiveAgent,
  Commands.deleteAgent
];

export function openAgentMenu(commands: CommandRegistry, slug: string, anchor: HTMLElement): void {
  const menu = new Menu({ commands });
  ENTRIES.forEach(command =>
    menu.addItem(command ? { command, args: { agent: slug } } : { type: 'separator' })
  );
  menu.aboutToClose.connect(() => {
    anchor.focus();
    requestAnimationFrame(() => menu.dispose()); // after the chosen command has begun
  });
  const { right, bottom } = anchor.getBoundingClientRect();
  menu.open(right, bottom, { horizontalAlignment: 'right' });
}
