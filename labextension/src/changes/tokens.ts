/**
 * How other plugins reach what runs have changed.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { ChangesStore } from './stores/changes';

export type IChanges = Lazy<ChangesStore>;

export const IChanges = new Token<IChanges>(
  'jupyter-cabinet:IChanges',
  'Gives what runs have changed in the workspace; accepts and reverts changes.'
);
