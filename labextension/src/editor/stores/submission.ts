/**
 * What is sent to the server when a person submits an instruction: the run, and the session it goes to.
 */
import type { CabinetClient } from '../../api/client';
import type { Attachment, NewRun, SessionDetail, Size } from '../../api/types';
import type { ChoiceStore } from '../../runtimes';

/** What a person submits. */
export interface IInstruction {
  path: string;
  instruction: string;
  attachments: Attachment[];
  /** The session's id. */
  session: string;
  /** Of the terminal's place in the panel, where it is known. */
  paneSize: Size | null;
  /** The named agent of the session, whose CLI, model and permissions are its own. */
  agent: string | null;
}

type Choices = Pick<ChoiceStore, 'runtime' | 'model' | 'permissionMode' | 'isolate' | 'headless'>;

/** Of what a person chose, what is not the agent's own. */
const ofAgent = ({ headless }: Choices): Choices => ({
  runtime: null,
  model: null,
  permissionMode: null,
  isolate: null,
  headless
});

/** The run with what the person chose; what they did not choose is left to the server. Pure. */
export function newRun(choices: Choices, wanted: IInstruction): NewRun {
  const { path, instruction, attachments, session, paneSize, agent } = wanted;
  const { runtime, model, permissionMode, isolate, headless } =
    agent === null ? choices : ofAgent(choices);
  return {
    kind: 'editor',
    instruction,
    session_id: session,
    path,
    attachments,
    ...(runtime ? { runtime } : {}),
    ...(model ? { model } : {}),
    ...(permissionMode ? { permission_mode: permissionMode } : {}),
    ...(isolate === null ? {} : { isolate }),
    ...(headless ? { mode: 'headless' as const } : paneSize)
  };
}

/** What a person chose, in a session with the chosen CLI; in one with another CLI as in its last run. Pure. */
export function choicesIn({ session, runs }: SessionDetail, choices: Choices): Choices {
  if (choices.runtime === null || session.runtime === choices.runtime) {
    return choices;
  }
  const permissionMode = runs[runs.length - 1]?.permission_mode ?? null;
  return { ...ofAgent(choices), permissionMode, isolate: choices.isolate };
}

/** The document's open session, or a new one; a new one too where the open one is of another runtime. */
export async function openSessionFor(
  client: CabinetClient,
  { path, runtime, isNew }: { path: string; runtime: string | null; isNew: boolean }
): Promise<SessionDetail> {
  const wanted = { path, ...(runtime ? { runtime } : {}) };
  const detail = await client.openSession(isNew ? { ...wanted, new: true } : wanted);
  return runtime && detail.session.runtime !== runtime
    ? client.openSession({ ...wanted, new: true })
    : detail;
}
