/**
 * How other plugins reach what keeps open documents and agents’ changes together.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { DocumentFollower } from './stores/follower';

export type IDocumentFollower = Lazy<DocumentFollower>;

export const IDocumentFollower = new Token<IDocumentFollower>(
  'jupyter-cabinet:IDocumentFollower',
  'Saves open documents before a run, and reloads them afterwards.'
);
