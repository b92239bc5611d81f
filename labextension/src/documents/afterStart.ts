/**
 * What is shown in and over open documents. Loaded after the start.
 */
export { ChangesInDocuments } from './changesInDocuments';
export { showProposals } from './proposals';
export { showStrips } from './strips';
export { showTabNews } from './tabNews';
export { UnsavedTexts } from './unsavedTexts';
