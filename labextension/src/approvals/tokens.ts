/**
 * How other plugins reach the questions of agents.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { IApprovalServices } from './views/services';

export type IApprovals = Lazy<IApprovalServices>;

export const IApprovals = new Token<IApprovals>(
  'jupyter-cabinet:IApprovals',
  'Gives the approval requests of agents.'
);
