/**
 * What a person does with instructions that wait in a session: takes one back, drops it, sends it now.
 */
import type { Attachment, Run } from '../../api/types';
import type { RunStore } from '../../runs';
import type { DraftStore } from './drafts';

/** Does it; a refusal is shown, not thrown. */
type Guard = (action: () => Promise<void>) => Promise<void>;

/** What was attached to an instruction is known to the page that sent it, and to no other. */
export class WaitingInstructions {
  constructor(
    private readonly _runs: RunStore,
    private readonly _drafts: DraftStore,
    private readonly _guard: Guard
  ) {}

  /** An instruction was sent with these pieces. */
  sent(run: Run, attachments: Attachment[]): void {
    if (attachments.length) {
      this._attachments.set(run.id, attachments);
    }
  }

  /** Take it out of the queue and back into the composer, before what is written there. */
  edit(run: Run, path: string | null): Promise<void> {
    return this._guard(async () => {
      await this._runs.cancel(run.id);
      const { text } = this._drafts.get(path);
      this._drafts.write(path, [run.instruction, text].filter(part => part.trim()).join('\n\n'));
      this._attachments.get(run.id)?.forEach(piece => this._drafts.attach(path, piece));
    });
  }

  drop(run: Run): Promise<void> {
    return this._guard(async () => void (await this._runs.cancel(run.id)));
  }

  /** Interrupt what works in its session; it goes next. */
  sendNow(run: Run): Promise<void> {
    return this._guard(async () => void (await this._runs.sendNow(run.id)));
  }

  private readonly _attachments = new Map<string, Attachment[]>();
}
