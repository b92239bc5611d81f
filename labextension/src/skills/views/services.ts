/**
 * The services that the tab of skills uses.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ConnectionStore } from '../../shared/connection';
import { useChanges } from '../../shared/views/hooks';
import { whyNotChange, whyNotDecide, whyNotRead } from '../stores/rights';
import type { LibraryPlace } from '../stores/place';
import type { SkillsStore } from '../stores/skills';
import type { ToolServersStore } from '../stores/toolServers';
import type { ToolServersOfClisStore } from '../stores/toolServersOfClis';

/** Made for each tab. */
export interface ISkillServices {
  connection: ConnectionStore;
  /** They are disposed of with the tab. */
  place: LibraryPlace;
  skills: SkillsStore;
  toolServers: ToolServersStore;
  ofClis: ToolServersOfClisStore;
  trans: TranslationBundle;
  /** Says something to who listens instead of looking. */
  announce: (words: string) => void;
  openAgent: (slug: string) => void;
}

export const SkillContext = React.createContext<ISkillServices | null>(null);

/** Only below a `SkillContext`. */
export function useSkills(): ISkillServices {
  return React.useContext(SkillContext)!;
}

/** Why this person cannot change anything now, as a sentence; null: they can, if the server agrees. */
export function useWhyNot(): string | null {
  const { connection, trans } = useSkills();
  useChanges(connection.changed);
  return whyNotChange(connection, trans);
}

/** The same about reading the files again. */
export function useWhyNotRead(): string | null {
  const { connection, trans } = useSkills();
  useChanges(connection.changed);
  return whyNotRead(connection, trans);
}

/** The same about decisions, which only a person makes. */
export function useWhyNotDecide(): string | null {
  const { connection, trans } = useSkills();
  useChanges(connection.changed);
  return whyNotDecide(connection, trans);
}
