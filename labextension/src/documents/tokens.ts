/**
 * How other plugins reach what keeps open documents and agents’ changes together.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { DocumentFollower } from './stores/follower';

export type IDocumentFollower = Lazy<DocumentFollower>;

export const IDocumentFollower = new Token<IDocumentFollower>(
  'jupyter-cabinet:IDocumentFollower',
  'Gives what saves open documents before a run, and reads them anew after an agent has written.'
);
