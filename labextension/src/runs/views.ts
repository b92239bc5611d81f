/**
 * What other subjects may show of runs.
 */
export { AllPaused } from './views/AllPaused';
export { Answer } from './views/Answer';
export { Fold, ToolFold, EventBody } from './views/EventBody';
export { CurrentStep } from './views/CurrentStep';
export { EventsPane } from './views/EventsPane';
export { FailedCard } from './views/FailedCard';
export { OpenPlan } from './views/OpenPlan';
export { openRun } from './views/openRun';
export { showOutput } from './views/outputDialog';
export { showSandbox } from './views/sandboxDialog';
export { RunState } from './views/RunState';
