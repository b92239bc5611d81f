/**
 * What is loaded of this subject when JupyterLab has started.
 */
export { addAgentCommands } from './agentCommands';
export { addBoardCommands, addConfirmCommand } from './commands';
export { namesFrom, notify, readWish } from './notifications';
export { addPlayCommands } from './playCommands';
