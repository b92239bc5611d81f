/**
 * What the editor’s state is made of, and made with.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { ChoiceStore } from '../../runtimes';
import { type RunStore } from '../../runs';

/** What the editor needs of the open documents. */
export interface IDocuments {
  /** Save what is unsaved, after asking. False: the person does not want to run after all. */
  prepare(path: string): Promise<boolean>;
}

/** The stores and the server, as the editor needs them. */
export interface IEditorPorts {
  client: CabinetClient;
  events: EventStream;
  runs: RunStore;
  choices: ChoiceStore;
  documents: IDocuments;
  /** Whose runs are this person's own; null until it is known. */
  username: () => string | null;
}
