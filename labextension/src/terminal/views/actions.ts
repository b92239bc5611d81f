/**
 * What a person can do about one terminal on the screen: by toolbar, strip, menu, command or key, the same.
 */
import { hasAgent, mayShare, maySteer, others, youAsked, youControl } from '../stores/rules';
import type { Terminal } from '../../api/types';
import type { ITerminalState } from '../stores/state';
import type { TerminalStore } from '../stores/terminal';
import { turnVerbs } from '../stores/turns';
import { Commands } from '../../shared/commands';
import { pageTerminals, type IPageTerminal, type TerminalVerb } from './pageTerminals';
import type { ITerminalServices } from './services';
import type { TerminalView } from './terminalView';

/** How long the server may take to pass control on. */
const GIVE_MS = 3_000;

/** How long the page may take to show what changed. */
const RENDER_MS = 1_000;

/** `act` does nothing that `can` denies; a refusal of the server is shown to the person. */
export class TerminalActions implements IPageTerminal {
  constructor(
    readonly view: TerminalView,
    private readonly _services: ITerminalServices,
    private readonly _find: () => void
  ) {
    view.host.addEventListener('focusin', () => pageTerminals.use(this));
    this.store?.changed.connect(() => pageTerminals.tell());
    _services.list.changed.connect(pageTerminals.tell, pageTerminals);
    pageTerminals.use(this);
  }

  get store(): TerminalStore | null {
    return this.view.store;
  }

  get isFocused(): boolean {
    const pane = this.view.host.closest('.jp-Cabinet-terminal');
    const seen = this.view.host.offsetParent !== null && !document.hidden && document.hasFocus();
    return seen && !!pane?.contains(document.activeElement);
  }

  /** Only its owner and administrators see it. */
  get isPrivate(): boolean {
    const { store } = this;
    return store !== null && this._services.list.get(store.terminalId)?.visibility === 'private';
  }

  screenText(): string {
    return this.view.screenText();
  }

  visibleRows(): string {
    return this.view.visibleRows();
  }

  can(verb: TerminalVerb): boolean {
    const { store } = this;
    if (verb === 'find') {
      return true;
    }
    if (!store) {
      return false;
    }
    if (verb === 'link') {
      return store.gone === null && !this.isPrivate;
    }
    if (verb === 'play') {
      return store.state.recorded;
    }
    return store.connected && this._canNow(verb, store);
  }

  act(verb: TerminalVerb, to?: string): void {
    if (this.can(verb)) {
      const done = this._act(verb, to);
      done?.catch(reason => this._services.complain(reason));
    }
  }

  dispose(): void {
    this._services.list.changed.disconnect(pageTerminals.tell, pageTerminals);
    pageTerminals.leave(this);
  }

  private _canNow(verb: TerminalVerb, { state }: TerminalStore): boolean {
    const verbs = turnVerbs(state);
    switch (verb) {
      case 'request':
        return verbs.includes('request') || verbs.includes('withdraw');
      case 'release':
      case 'deny':
        return verbs.includes(verb);
      case 'give':
        return youControl(state) && (state.requests.length > 0 || others(state).length > 0);
      case 'agent':
        return youControl(state) && !!state.you?.can_execute && !hasAgent(state) && !state.exited;
      case 'share':
      case 'private':
        return mayShare(state) && this.isPrivate === (verb === 'share');
      default:
        return maySteer(state) && fits(verb, state);
    }
  }

  private _act(verb: TerminalVerb, to?: string): Promise<unknown> | void {
    const { _services: services } = this;
    const store = this.store!;
    const { list } = services;
    const id = store?.terminalId;
    const first = to ?? store?.state.requests[0]?.username;
    switch (verb) {
      case 'request':
        store.send({ type: youAsked(store.state) ? 'withdraw_request' : 'request_control' });
        return this.view.focus();
      case 'release':
        return store.send({ type: 'revoke_control' });
      case 'give':
        return first === undefined ? this._giveToSomebody() : this._give(first);
      case 'deny':
        store.send({ type: 'deny_control', to: first! });
        return this.view.focus(); // the button goes with the request
      case 'pause':
      case 'resume':
      case 'stop':
        return list.steerAgent(id, verb).then(() => this.view.focus());
      case 'agent':
        return services.askAgent(id, store.state.name).then(() => this.view.focus());
      case 'record':
        return list.setRecording(id, !store.state.recording);
      case 'play':
        return services.run(Commands.playRecording, { id });
      case 'link':
        return services.copyLink(id);
      case 'share':
        return this._share(id, store.state.recorded);
      case 'private':
        return this._setVisibility(id, 'private');
      case 'close':
        return list.close(id);
      case 'find':
        return this._find();
    }
  }

  private async _share(id: string, isRecorded: boolean): Promise<void> {
    if (await this._services.confirmSharing(isRecorded)) {
      await this._setVisibility(id, 'server');
    }
  }

  private async _setVisibility(id: string, visibility: Terminal['visibility']): Promise<void> {
    const { announcer, list, trans } = this._services;
    await list.setVisibility(id, visibility);
    announcer.polite(
      visibility === 'private'
        ? trans.__('The terminal is private.')
        : trans.__('The terminal is shared.')
    );
  }

  private _give(to: string): void {
    const store = this.store!;
    if (!this.view.host.contains(document.activeElement)) {
      this.view.focus(); // the button or menu closes with the request
      this._focusRequestLater(store);
    }
    store.send({ type: 'grant_control', to });
  }

  /** Once the other person has control, the focus moves to the button that asks for it again. */
  private _focusRequestLater(store: TerminalStore): void {
    const onChanged = () => {
      if (!youControl(store.state)) {
        stop();
        this._focusRequest(performance.now() + RENDER_MS);
      }
    };
    const timer = setTimeout(() => stop(), GIVE_MS);
    const stop = () => {
      clearTimeout(timer);
      store.changed.disconnect(onChanged);
    };
    store.changed.connect(onChanged);
  }

  /** On a busy page the button appears some frames after the state changed. */
  private _focusRequest(until: number): void {
    requestAnimationFrame(now => {
      const pane = this.view.host.closest('.jp-Cabinet-terminal');
      const buttons = pane?.querySelectorAll<HTMLElement>('.jp-Cabinet-request') ?? [];
      const shown = [...buttons].find(button => button.offsetParent !== null);
      if (!this.isFocused) {
        return;
      }
      if (shown) {
        shown.focus();
      } else if (now < until) {
        this._focusRequest(until);
      }
    });
  }

  /** Nobody asks: to whom? */
  private async _giveToSomebody(): Promise<void> {
    const people = others(this.store!.state);
    const [only] = people;
    const to = people.length > 1 ? await this._services.askPerson(people) : only?.username;
    if (to) {
      this._give(to);
    }
  }
}

/** What the terminal's state lets those do who may steer. */
function fits(verb: TerminalVerb, state: ITerminalState): boolean {
  switch (verb) {
    case 'pause':
      return state.agentState === 'running' || state.agentState === 'waiting';
    case 'resume':
      return state.agentState === 'paused';
    case 'stop':
      return hasAgent(state) && state.agentState !== 'ending';
    case 'record':
      return !state.exited;
    default:
      return verb === 'close';
  }
}
