/**
 * What other subjects may draw of approvals.
 */
export { CompactCard } from './views/ApprovalCard';
export { Asking } from './views/Asking';
export { ProposalCard } from './views/ProposalCard';
export { ApprovalContext, ownerOf, useApprovals, useShown } from './views/services';
