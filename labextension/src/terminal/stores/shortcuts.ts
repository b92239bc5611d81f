/**
 * Which keys in a terminal belong to Cabinet’s shortcuts rather than to the program. The keys come from the settings, so a
 * person’s own choice counts; the selectors say where and when a shortcut has a meaning.
 */

/** A binding of a command, as in the settings of shortcuts. */
export interface IShortcut {
  command: string;
  keys: readonly string[];
  selector: string;
}

/** JupyterLab waits so long for the next key of a shortcut that has several. */
const NEXT_KEY_MS = 1_000;

const OURS = 'cabinet:';

/** Remembers the keys of a shortcut that is not complete yet. */
export class TerminalShortcuts {
  /** `isEnabled`: whether a command can run now; the program gets the key of one that cannot. */
  constructor(
    private readonly _shortcuts: () => readonly IShortcut[],
    private readonly _isEnabled: (command: string) => boolean
  ) {}

  /** Whether JupyterLab gets this key. `key`: its normalized name, empty for one that no shortcut can have. */
  takes(key: string, target: Element, timeStamp: number): boolean {
    if (!key) {
      return false;
    }
    const before = timeStamp - this._pressedAt < NEXT_KEY_MS ? this._pressed : [];
    const sequence = this._begins([...before, key], target) ? [...before, key] : [key];
    const found = this._begins(sequence, target);
    this._pressed = found && sequence.length < found.keys.length ? sequence : [];
    this._pressedAt = timeStamp;
    return found !== undefined;
  }

  private _begins(pressed: string[], target: Element): IShortcut | undefined {
    return this._shortcuts().find(
      ({ command, keys, selector }) =>
        command.startsWith(OURS) &&
        pressed.every((key, index) => key === keys[index]) &&
        target.closest(selector) !== null &&
        this._isEnabled(command)
    );
  }

  private _pressed: string[] = [];
  private _pressedAt = -Infinity;
}
