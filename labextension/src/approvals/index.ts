/**
 * What other subjects may use of approvals, but for what is drawn (`views.ts`).
 */
export type { ApprovalStore } from './stores/approvals';
export { answeredText, askedText, denialText, gist, titleText } from './stores/labels';
export { IApprovals } from './tokens';
export type { IApprovalServices } from './views/services';
