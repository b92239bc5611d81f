/**
 * What is loaded of this subject when JupyterLab has started.
 */
export { showIndicators } from './indicators';
export { makeApprovals } from './services';
