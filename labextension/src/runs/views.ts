/**
 * What other subjects may show of runs.
 */
export { showOutput } from './views/outputDialog';
