/**
 * What starts what: plays, and what starts them, as a graph. Pure.
 */
import type { PlayRow } from '../../../api/types';

export type Trigger = PlayRow['triggers'][number];
export type Ending = 'succeeded' | 'failed';

/** A play; a play that another one waits for and that is not there; what starts plays and is none. */
export type GraphNode =
  | { kind: 'play'; id: string; play: PlayRow }
  | { kind: 'missing'; id: string; slug: string }
  | { kind: 'source'; id: string; trigger: Trigger; schedule: string };

/** `ending`: how the run of the play has to end; null where a source starts it. */
export interface IGraphEdge {
  id: string;
  from: string;
  to: string;
  ending: Ending | null;
  /** It leads back to where it comes from: a chain of runs stops there. */
  isCircular: boolean;
}

export interface IPlayGraph {
  nodes: GraphNode[];
  edges: IGraphEdge[];
  /** Plays that only a person starts, and that start nothing. */
  alone: PlayRow[];
}

const idOf = (slug: string) => `play/${slug}`;

export function playGraph(plays: readonly PlayRow[]): IPlayGraph {
  const known = new Set(plays.map(({ slug }) => slug));
  const nodes = new Map<string, GraphNode>();
  const links: Omit<IGraphEdge, 'isCircular'>[] = [];
  const link = (from: string, to: string, ending: Ending | null) =>
    links.push({ id: `${from} ${to} ${ending ?? ''}`, from, to, ending });
  for (const play of plays) {
    for (const trigger of startersOf(play)) {
      if (trigger.type === 'on_complete' && trigger.play !== null) {
        const from = idOf(trigger.play);
        if (!known.has(trigger.play)) {
          nodes.set(from, { kind: 'missing', id: from, slug: trigger.play });
        }
        link(from, idOf(play.slug), trigger.status);
      } else if (trigger.type !== 'manual') {
        const id = sourceId(trigger, play);
        nodes.set(id, { kind: 'source', id, trigger, schedule: play.schedule });
        link(id, idOf(play.slug), null);
      }
    }
  }
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]));
  const [inGraph, alone] = parted(plays, ({ slug }) => linked.has(idOf(slug)));
  inGraph.forEach(play => nodes.set(idOf(play.slug), { kind: 'play', id: idOf(play.slug), play }));
  const reaches = reachable(links);
  const edges = links.map(each => ({ ...each, isCircular: reaches(each.to, each.from) }));
  return { nodes: [...nodes.values()], edges, alone };
}

/** Its triggers; a schedule starts it also where no trigger says so. */
export function startersOf({ schedule, triggers }: PlayRow): readonly Trigger[] {
  return schedule && !triggers.some(({ type }) => type === 'schedule')
    ? [{ type: 'schedule' }, ...triggers]
    : triggers;
}

/** The plays that a run of this one starts, and after which ending. */
export function followersOf(
  slug: string,
  plays: readonly PlayRow[]
): { play: PlayRow; ending: Ending }[] {
  return plays.flatMap(play =>
    play.triggers.flatMap(trigger =>
      trigger.type === 'on_complete' && (trigger.play ?? otherThan(play.slug, slug)) === slug
        ? [{ play, ending: trigger.status }]
        : []
    )
  );
}

/** The play that a trigger of `own` for any other play waits for when `slug` ends. */
function otherThan(own: string, slug: string): string | null {
  return own === slug ? null : slug;
}

/** The same file, goal or time is one source of all plays that it starts; a webhook is the play's own. */
function sourceId(trigger: Trigger, { agent, schedule, slug }: PlayRow): string {
  switch (trigger.type) {
    case 'schedule':
      return `schedule/${schedule}`;
    case 'file_changed':
      return `file/${trigger.path}`;
    case 'goal_behind':
      return `goal/${trigger.agent ?? agent ?? ''}/${trigger.metric ?? ''}`;
    case 'on_complete':
      return `any/${trigger.status}`;
    case 'agent_message':
      return `message/${trigger.agent ?? agent ?? ''}`;
    case 'agent_started':
    case 'agent_stopped':
      return `${trigger.type}/${trigger.agent ?? agent ?? ''}`;
    case 'startup':
      return 'startup';
    default:
      return `${trigger.type}/${slug}`;
  }
}

function parted<T>(items: readonly T[], fits: (item: T) => boolean): [T[], T[]] {
  return [items.filter(fits), items.filter(item => !fits(item))];
}

/** Whether a way leads from one node to another; each is on the way to itself. */
function reachable(links: readonly { from: string; to: string }[]) {
  const next = new Map<string, string[]>();
  links.forEach(({ from, to }) => next.set(from, [...(next.get(from) ?? []), to]));
  const seenFrom = new Map<string, ReadonlySet<string>>();
  const all = (start: string) => {
    const seen = new Set([start]);
    for (const node of seen) {
      next.get(node)?.forEach(each => seen.add(each)); // a set is walked to what is added meanwhile
    }
    return seen;
  };
  return (from: string, to: string) => {
    const seen = seenFrom.get(from) ?? all(from);
    seenFrom.set(from, seen);
    return seen.has(to);
  };
}
