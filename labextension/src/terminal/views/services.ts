/**
 * The services of the terminals' panels, in the sidebar, in a tab, and for a recording.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Person } from '../../api/types';
import type { AvatarStore } from '../stores/avatars';
import type { TerminalListStore } from '../stores/terminals';
import type { Announcer } from '../../shared/announcer';
import type { ConnectionStore } from '../../shared/connection';
import type { TerminalAppearance } from '../stores/appearance';
import type { IApprovalServices } from '../../approvals';
import type { TerminalVerb } from './pageTerminals';

/** Made once for a page, by the terminals’ plugin. */
export interface ITerminalServices {
  connection: ConnectionStore;
  announcer: Announcer;
  appearance: TerminalAppearance;
  trans: TranslationBundle;
  avatars: AvatarStore;
  list: TerminalListStore;
  approvals: IApprovalServices;
  /** Whether a person wants to open this address of a link in a terminal. */
  confirmLink: (address: URL) => Promise<boolean>;
  /** The key of a command as people read it, or null. */
  keyOf: (verb: TerminalVerb) => string | null;
  /** Whether this key belongs to a shortcut of Cabinet here and now, and not to the program. */
  isShortcut: (event: KeyboardEvent) => boolean;
  run: (command: string, args?: Record<string, string>) => void;
  /** Tell why something that was asked for did not happen. */
  complain: (reason: unknown) => void;
  copyLink: (terminalId: string) => Promise<void>;
  /** Who of these; null: nobody after all. */
  askPerson: (people: Person[]) => Promise<string | null>;
  /** Whether everybody shall see a terminal that was private. */
  confirmSharing: (isRecorded: boolean) => Promise<boolean>;
  askAgent: (terminalId: string, name: string) => Promise<void>;
  /** A menu below `anchor`; the focus goes back to it. */
  openMenu: (anchor: HTMLElement, entries: IMenuEntry[]) => void;
  /** The same, of commands. */
  openCommands: (anchor: HTMLElement, names: string[]) => void;
}

/** An entry of a menu, or the line between two groups. */
export type IMenuEntry =
  { label: string; run: () => void; disabled?: boolean; checked?: boolean } | 'separator';

export const TerminalContext = React.createContext<ITerminalServices | null>(null);

/** Only below a `TerminalContext`. */
export function useTerminals(): ITerminalServices {
  return React.useContext(TerminalContext)!;
}
