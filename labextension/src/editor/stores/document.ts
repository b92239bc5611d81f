/** The document that a session is about. */
import type { Session } from '../../api/types';
import { movedPath } from '../../shared/paths';

/** Its path, relative to the server’s root; empty for a session that is about something else. */
export function documentOf(session: Session): string {
  const { subject } = session;
  return subject?.kind === 'document' || subject?.kind === 'notebook' ? subject.path : '';
}

/** The named agent that it is with, from a cell of a notebook; null for any other session. */
export function agentOf(session: Session): string | null {
  return session.subject?.kind === 'notebook' ? session.subject.agent : null;
}

/** The session after a document, or a folder of documents, was renamed or moved. */
export function movedSession(session: Session, old: string, next: string): Session {
  const { subject } = session;
  return subject?.kind === 'document' || subject?.kind === 'notebook'
    ? {
        ...session,
        told_path: session.told_path ?? subject.path, // a page that read the session before its first run
        subject: { ...subject, path: movedPath(subject.path, old, next) }
      }
    : session;
}
