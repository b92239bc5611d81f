/**
 * What other subjects may use of open documents.
 */
export { OpenDocuments } from './openDocuments';
export type { DocumentFollower } from './stores/follower';
export { IDocumentFollower } from './tokens';
