/**
 * How other plugins reach the runs of this page.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { RunStore } from './stores/runs';

export type IRuns = Lazy<RunStore>;

export const IRuns = new Token<IRuns>(
  'jupyter-cabinet:IRuns',
  'Gives the runs that this page knows, and starts and cancels them.'
);
