/**
 * What is loaded of this subject when JupyterLab has started.
 */
export { addRuntimesCommand, listCommands } from './palette';
export { ChoiceStore } from './stores/choices';
export { RuntimeStore } from './stores/runtimes';
