/**
 * People's own tool servers, the one that is shown, and which of its tools the person has ticked. Kept up while it is
 * shown.
 */
import { ApiError, type CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import { ToolServerRoutes } from '../../api/toolServerRoutes';
import type { CabinetEvent, ToolServer } from '../../api/types';
import { Store } from '../../shared/store';

export type ToolServerForm = { kind: 'new' } | { kind: 'edit'; server: ToolServer };

export class ToolServersStore extends Store {
  constructor(
    client: CabinetClient,
    private readonly _events: EventStream
  ) {
    super();
    this.routes = new ToolServerRoutes(client);
    _events.happened.connect(this._onEvent, this);
    this._stop = _events.onMissed(() => void this.refresh());
  }

  readonly routes: ToolServerRoutes;
  /** By name; null until the first answer. */
  items: ToolServer[] | null = null;
  /** Stored tool servers that cannot be read. */
  problems: readonly string[] = [];
  /** Why they cannot be read; what was read before stays. */
  problem: string | null = null;
  /** Why the server has refused what the person asked for last. */
  refusal: string | null = null;
  form: ToolServerForm | null = null;
  isBusy = false;
  /** The name of the tool server that the person has chosen; null: none. */
  chosen: string | null = null;
  /** What is shown of it: it stays as it is while the person reads, until they ask for the newer one. */
  detail: ToolServer | null = null;
  newer: ToolServer | null = null;
  /** The names of the ticked tools. */
  ticked: ReadonlySet<string> = new Set();

  override dispose(): void {
    this._stop();
    this._events.happened.disconnect(this._onEvent, this);
    super.dispose();
  }

  /** Whether the ticks differ from what is approved. */
  get isChanged(): boolean {
    const { detail, ticked } = this;
    const approved = detail ? approvedIn(detail) : [];
    return approved.length !== ticked.size || approved.some(name => !ticked.has(name));
  }

  async refresh(): Promise<void> {
    const request = ++this._request;
    try {
      const { items, problems } = await this.routes.list();
      if (request !== this._request) {
        return;
      }
      Object.assign(this, { items, problems, problem: null });
      this._follow();
    } catch (reason) {
      if (request === this._request) {
        this.problem = (reason as Error).message;
      }
    }
    this.tell();
  }

  /** Show a tool server; null: the list, in a narrow tab. */
  choose(name: string | null): void {
    this.chosen = name;
    this.refusal = null;
    if (name !== null && this.detail?.name !== name) {
      this.detail = null;
      this._follow();
    }
    this.tell();
  }

  show(form: ToolServerForm | null): void {
    this.form = form;
    this.tell();
  }

  tick(name: string, isOn: boolean): void {
    const ticked = new Set(this.ticked);
    if (isOn) {
      ticked.add(name);
    } else {
      ticked.delete(name);
    }
    this.ticked = ticked;
    this.tell();
  }

  /** It was added or changed: show it. */
  async take(server: ToolServer): Promise<void> {
    this.chosen = server.name;
    this._show(server);
    await this.refresh();
  }

  /** Show it as it is now. */
  showNewer(): void {
    if (this.newer) {
      this._show(this.newer);
      this.tell();
    }
  }

  look({ name }: ToolServer): Promise<boolean> {
    return this._ask(async () => this._show(await this.routes.look(name)));
  }

  /** The ticked tools, exactly as they are shown. */
  approve({ hash, name }: ToolServer): Promise<boolean> {
    const tools = [...this.ticked];
    return this._ask(async () => this._show(await this.routes.approve(name, tools, hash)));
  }

  remove({ name }: ToolServer): Promise<boolean> {
    return this._ask(() => this.routes.remove(name));
  }

  dismissRefusal(): void {
    this.refusal = null;
    this.tell();
  }

  /** False if the server refused it: `refusal` says why. */
  private async _ask(ask: () => Promise<unknown>): Promise<boolean> {
    if (this.isBusy) {
      return false;
    }
    Object.assign(this, { isBusy: true, refusal: null });
    this.tell();
    let isDone = true;
    try {
      await ask();
    } catch (reason) {
      isDone = false;
      this.refusal = reason instanceof ApiError ? reason.message : String(reason);
    }
    this.isBusy = false;
    await this.refresh();
    return isDone;
  }

  private _show(server: ToolServer): void {
    this.detail = server;
    this.newer = null;
    this.ticked = new Set(approvedIn(server));
  }

  /** Whoever changes a tool server while a person reads it must not change what the person approves. */
  private _follow(): void {
    const { items } = this;
    const found = items?.find(({ name }) => name === this.chosen) ?? items?.[0] ?? null;
    if (!found || found.name !== this.detail?.name) {
      this.detail = null;
      this.newer = null;
      if (found) {
        this._show(found);
      }
    } else if (found.hash !== this.detail.hash || !hasSameApproval(found, this.detail)) {
      this.newer = found;
    } else {
      this.newer = null;
      this.detail = found;
    }
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const { type } = event as CabinetEvent;
    if (type === 'tool_servers_changed' || type === 'agent_changed' || type === 'agent_removed') {
      void this.refresh();
    }
  }

  private readonly _stop: () => void;
  private _request = 0;
}

function approvedIn({ tools }: ToolServer): string[] {
  return tools.filter(({ state }) => state === 'approved').map(({ name }) => name);
}

function hasSameApproval(one: ToolServer, other: ToolServer): boolean {
  return approvedIn(one).join('\n') === approvedIn(other).join('\n');
}
