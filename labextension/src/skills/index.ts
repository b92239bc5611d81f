/**
 * What other subjects use of skills.
 */
export { stateLabel } from './stores/labels';
