/**
 * People's own tool servers, the one that is shown, and which of its tools the person has ticked. Kept up while it is
 * shown.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import { ToolServerRoutes } from '../../api/toolServerRoutes';
import type { ToolServer, ToolServerList } from '../../api/types';
import { LibraryStore } from './library';
import type { IServerDraft } from './toolLabels';

/** `draft`: with what a new one is filled in. */
export type ToolServerForm =
  { kind: 'new'; draft?: IServerDraft } | { kind: 'edit'; server: ToolServer };

export class ToolServersStore extends LibraryStore<ToolServer, ToolServerForm> {
  constructor(client: CabinetClient, events: EventStream) {
    super(events, 'tool_servers_changed');
    this.routes = new ToolServerRoutes(client);
    this.keepUp();
  }

  readonly routes: ToolServerRoutes;
  /** What is shown of it: it stays as it is while the person reads, until they ask for the newer one. */
  detail: ToolServer | null = null;
  newer: ToolServer | null = null;
  /** The names of the ticked tools. */
  ticked: ReadonlySet<string> = new Set();

  /** Whether the ticks differ from what is approved. */
  get isChanged(): boolean {
    const { detail, ticked } = this;
    const approved = detail ? approvedIn(detail) : [];
    return approved.length !== ticked.size || approved.some(name => !ticked.has(name));
  }

  /** Show a tool server; null: the list, in a narrow tab. */
  choose(name: string | null): void {
    this.chosen = name;
    this.refusal = null;
    if (name !== null && this.detail?.name !== name) {
      this.detail = null;
      this._follow();
      if (this.detail === null) {
        void this.refresh();
      }
    }
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
    return this._ask(async () => {
      await this.routes.remove(name);
      this.chosen = null;
    });
  }

  protected _list(): Promise<ToolServerList> {
    return this.routes.list();
  }

  protected _read(): Promise<() => void> {
    return Promise.resolve(() => this._follow());
  }

  private _show(server: ToolServer): void {
    this.detail = server;
    this.newer = null;
    this.ticked = new Set(approvedIn(server));
  }

  /** Whoever changes a tool server while a person reads it must not change what the person approves. */
  private _follow(): void {
    const found = this.items?.find(({ name }) => name === this.shown) ?? null;
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
}

function approvedIn({ tools }: ToolServer): string[] {
  return tools.filter(({ state }) => state === 'approved').map(({ name }) => name);
}

function hasSameApproval(one: ToolServer, other: ToolServer): boolean {
  return approvedIn(one).join('\n') === approvedIn(other).join('\n');
}
