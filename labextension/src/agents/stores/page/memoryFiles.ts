/**
 * The files of an agent's memory in groups: those that it uses, its daily logs, and its archive. Pure.
 */
import type { AgentFileInfo } from '../../../api/types';

export const MEMORY = 'memory/';
const ARCHIVE = 'memory/archive/';
const DAILY_LOG = /^memory\/\d{4}-\d{2}-\d{2}\.md$/;

export interface IMemoryFiles {
  all: AgentFileInfo[];
  current: AgentFileInfo[];
  /** The newest day first. */
  days: AgentFileInfo[];
  archived: AgentFileInfo[];
}

/** `files`: all files of the agent, sorted by path. */
export function memoryFiles(files: readonly AgentFileInfo[]): IMemoryFiles {
  const all = files.filter(({ path }) => path.startsWith(MEMORY));
  const archived = all.filter(({ path }) => path.startsWith(ARCHIVE));
  const days = all.filter(isDailyLog).reverse();
  const current = all.filter(file => !file.path.startsWith(ARCHIVE) && !isDailyLog(file));
  return { all, archived, current, days };
}

/** A file for one day, such as an orchestrator's agent writes it. */
export function isDailyLog({ path }: AgentFileInfo): boolean {
  return DAILY_LOG.test(path);
}
