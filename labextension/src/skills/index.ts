/**
 * What other subjects use of skills and tool servers.
 */
export { stateLabel } from './stores/labels';
export { serverLabel } from './stores/toolLabels';
