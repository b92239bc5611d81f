/**
 * What a person looks like in a list: initials and a colour, the same for everybody who looks.
 * With real-time collaboration they come from what people say of themselves; names never do.
 */
import type { Person } from '../../api/types';
import { Store } from '../../shared/store';

/** A disc with one or two letters. */
export interface IAvatar {
  initials: string;
  /** A CSS colour: JupyterLab's own for collaborators, or one a person has chosen. */
  color: string;
}

/** The colours that JupyterLab's themes have for collaborators. */
const COLORS = 7;
const COLOR = /^(?:var\(--jp-collaborator-color[1-7]\)|#[\da-f]{3,8}|rgba?\([\d\s.,%]+\))$/i;

/** Everybody has one: what nobody claims is derived from the name. */
export class AvatarStore extends Store {
  of(person: Person): IAvatar {
    return this._known.get(person.username) ?? derived(person);
  }

  /** Whether this person looks at the terminal right now; null where nobody tells. */
  looksAt(username: string, terminalId: string): boolean | null {
    return this._looking ? (this._looking.get(username)?.has(terminalId) ?? false) : null;
  }

  /** What collaborators say of themselves: shown, never trusted. */
  take(known: Map<string, IAvatar>, looking: Map<string, Set<string>>): void {
    this._known = known;
    this._looking = looking;
    this.tell();
  }

  private _known = new Map<string, IAvatar>();
  private _looking: Map<string, Set<string>> | null = null;
}

/** The same for everybody who looks, in every page. */
export function derived(person: Person): IAvatar {
  return { initials: initials(person.display_name || person.username), color: color(person) };
}

/** A face that somebody claims; what cannot be drawn, and initials that are one letter only, are derived. */
export function claimed(person: Person, claim: { initials?: unknown; color?: unknown }): IAvatar {
  const avatar = derived(person);
  const letters = typeof claim.initials === 'string' ? lettersOf(claim.initials).slice(0, 2) : [];
  return {
    initials: letters.length > 1 ? letters.join('').toUpperCase() : avatar.initials,
    color: typeof claim.color === 'string' && COLOR.test(claim.color) ? claim.color : avatar.color
  };
}

/** Of the first and the last name; the first two letters if there is only one name. */
export function initials(name: string): string {
  const words = name
    .split(/[\s._@-]+/)
    .map(lettersOf)
    .filter(letters => letters.length);
  const [first = '?', second = ''] = words[0] ?? [];
  return (first + (words.length > 1 ? words[words.length - 1][0] : second)).toUpperCase();
}

function lettersOf(text: string): string[] {
  return [...text].filter(character => /[\p{L}\p{N}]/u.test(character));
}

function color({ username }: Person): string {
  let hash = 7;
  for (const character of username) {
    hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  }
  return `var(--jp-collaborator-color${(hash % COLORS) + 1})`;
}
