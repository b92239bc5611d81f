/**
 * The menu of what can be done with one agent as a whole. Loaded with what it opens from.
 */
import type { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import { AgentCommands } from '../shared/lateCommands';

/** Null: a line between them. */
const ENTRIES = [
  AgentCommands.rename,
  AgentCommands.duplicate,
  AgentCommands.export,
  null,
  AgentCommands.archive,
  AgentCommands.delete
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
