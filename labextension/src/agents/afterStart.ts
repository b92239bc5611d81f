/**
 * What is loaded of this subject when JupyterLab has started.
 */
export { addAgentCommands } from './agentCommands';
export { addBoardCommands, addConfirmCommand } from './commands';
export { notify, readWish } from './notifications';
export { addPlayCommands } from './playCommands';
