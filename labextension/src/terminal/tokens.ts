/**
 * How other plugins reach shared terminals.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { ITerminalServices } from './views/services';

export type ITerminals = Lazy<ITerminalServices>;

export const ITerminals = new Token<ITerminals>(
  'jupyter-cabinet:ITerminals',
  'Gives the shared terminals of the server.'
);
