/**
 * A map of at most so many entries: of a page that is open for days, what nobody has asked for the longest is forgotten.
 */
export class RecentMap<K, V> {
  constructor(private readonly _most: number) {}

  /** Counts as asking for it. */
  get(key: K): V | undefined {
    const value = this._entries.get(key);
    if (value !== undefined) {
      this.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this._entries.delete(key); // entries keep the order in which they were added
    this._entries.set(key, value);
    if (this._entries.size > this._most) {
      this._entries.delete(this._entries.keys().next().value as K);
    }
  }

  delete(key: K): void {
    this._entries.delete(key);
  }

  private readonly _entries = new Map<K, V>();
}
