/**
 * What a cell's output asks to be shown: the content of a MIME bundle, which anybody may have written. Pure.
 */

/** Something of this server, named by its id. `attached`: titles of what went with a run's instruction. */
export type View =
  | { view: 'run'; run_id: string; attached: readonly string[] }
  | { view: 'agent'; agent: string }
  | { view: 'terminal'; terminal_id: string }
  | { view: 'goal'; agent: string; metric: string }
  | { view: 'trust' };

const LONGEST_ID = 200;
const MOST_ATTACHED = 40;

/** Null for what is none; fields that are not known are passed over. */
export function viewOf(data: unknown): View | null {
  const given = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
  const named = (field: string) => {
    const value = given[field];
    return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID ? value : null;
  };
  const [run_id, agent, terminal_id, metric] = ['run_id', 'agent', 'terminal_id', 'metric'].map(
    named
  );
  switch (given.view) {
    case 'run':
      return run_id === null ? null : { view: 'run', run_id, attached: titles(given.attached) };
    case 'agent':
      return agent === null ? null : { view: 'agent', agent };
    case 'terminal':
      return terminal_id === null ? null : { view: 'terminal', terminal_id };
    case 'goal':
      return agent === null || metric === null ? null : { view: 'goal', agent, metric };
    case 'trust':
      return { view: 'trust' };
    default:
      return null;
  }
}

function titles(given: unknown): string[] {
  const all = Array.isArray(given) ? (given as unknown[]) : [];
  return all
    .filter((title): title is string => typeof title === 'string')
    .slice(0, MOST_ATTACHED)
    .map(title => title.slice(0, LONGEST_ID));
}

/** The same for the same thing, whatever else is in the bundle. */
export function keyOf(view: View): string {
  return view.view === 'run' ? `run ${view.run_id}` : JSON.stringify(view);
}
