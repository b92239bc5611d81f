/**
 * What changes are called, the same everywhere. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ChangeCounts, ChangedFile, Changes, FileDiff, Run } from '../../api/types';
import { size as sizeLabel } from '../../shared/size';
import { changedRange } from './sides';

/** "1 cell changed", "3 files changed", "Nothing changed". */
export function countLabel(counts: ChangeCounts, trans: TranslationBundle): string {
  if (counts.files === 0) {
    return trans.__('No file changed');
  }
  return counts.files === 1 && counts.cells > 0
    ? trans._n('%1 cell changed', '%1 cells changed', counts.cells)
    : trans._n('%1 file changed', '%1 files changed', counts.files);
}

/** "+15", "−1"; empty for none. */
export function lineCounts(counts: ChangeCounts): { added: string; removed: string } {
  return {
    added: counts.added ? `+${counts.added}` : '',
    removed: counts.removed ? `−${counts.removed}` : ''
  };
}

/** What a file's row says beside its name; empty where the counts say all. */
export function fileNote(file: ChangedFile, trans: TranslationBundle): string {
  const notes = [
    file.kind === 'added' ? trans.__('added') : '',
    file.kind === 'deleted' ? trans.__('deleted') : '',
    file.old_path ? trans.__('renamed from %1', file.old_path) : '',
    file.folder ? trans.__('empty folder') : '',
    file.binary ? trans.__('not text') : '',
    file.mode_changed ? trans.__('permissions changed') : ''
  ];
  return notes.filter(Boolean).join(', ');
}

/** "Line 4", "Lines 12 to 15": those that are changed. */
export function partLabel(
  part: Pick<FileDiff['parts'][number], 'lines' | 'new_start'>,
  trans: TranslationBundle
): string {
  const { first, last } = changedRange(part);
  return first === last ? trans.__('Line %1', first) : trans.__('Lines %1 to %2', first, last);
}

/** Why a file is not compared: "ignored", "212 MB", "cannot be read". */
export function leftOutNote(
  { reason, size, why }: Changes['left_out'][number],
  trans: TranslationBundle
): string {
  const words = {
    ignored: trans.__('ignored'),
    excluded: why,
    large: size === null ? trans.__('too large') : sizeLabel(size),
    unreadable: trans.__('cannot be read'),
    special: trans.__('not a regular file'),
    unseen: trans.__('earlier content unknown'),
    name: trans.__('the name is not valid UTF-8'),
    deep: trans.__('nested too deeply'),
    many: trans.__('changed, beyond the files that are listed')
  };
  return words[reason];
}

type Reason = Changes['not_compared'][number]['reason'];

/** "Not compared: 3 ignored files and folders, 1 name that is not valid UTF-8."; empty where all was compared. */
export function notComparedLabel(
  { not_compared }: Pick<Changes, 'not_compared'>,
  trans: TranslationBundle
): string {
  const phrases: Record<Reason, (count: number) => string> = {
    ignored: n => trans._n('%1 ignored file or folder', '%1 ignored files and folders', n),
    excluded: n =>
      trans._n(
        '%1 file or folder that is never compared',
        '%1 files and folders that are never compared',
        n
      ),
    large: n => trans._n('%1 file that is too large', '%1 files that are too large', n),
    unreadable: n =>
      trans._n(
        '%1 file or folder that cannot be read',
        '%1 files and folders that cannot be read',
        n
      ),
    special: n => trans._n('%1 entry that is not a file', '%1 entries that are not files', n),
    unseen: n =>
      trans._n(
        '%1 file whose earlier content is unknown',
        '%1 files whose earlier content is unknown',
        n
      ),
    name: n => trans._n('%1 name that is not valid UTF-8', '%1 names that are not valid UTF-8', n),
    deep: n =>
      trans._n('%1 folder that is nested too deeply', '%1 folders that are nested too deeply', n),
    many: n => trans._n('%1 more changed file, not listed', '%1 more changed files, not listed', n)
  };
  const found = not_compared.map(({ count, reason }) => phrases[reason](count));
  return found.length > 0 ? trans.__('Not compared: %1.', found.join(', ')) : '';
}

/** Names beside the counts, of what a person may look for. */
const MOST_NAMES = 20;

/** Which they are, apart from those that are ignored or that no run’s changes include. */
export function notComparedNames({ left_out }: Pick<Changes, 'left_out'>): string {
  const shown = left_out.filter(({ reason }) => reason !== 'ignored' && reason !== 'excluded');
  const names = shown.slice(0, MOST_NAMES).map(({ path }) => path);
  return [...names, ...(shown.length > MOST_NAMES ? ['…'] : [])].join(', ');
}

/** The sentence for a run without changed files: not all files may have been compared. */
export function nothingLabel(
  { partial }: Pick<Changes, 'partial'>,
  trans: TranslationBundle
): string {
  return partial
    ? trans.__('No changes in the files that were compared.')
    : trans.__('This run changed no files.');
}

/** The button that undoes a run, or that restores its changes; only of the files that were compared. */
export function wayBackLabel(changes: Changes, trans: TranslationBundle): string {
  if (isReverted(changes)) {
    return trans.__('Restore');
  }
  return changes.partial
    ? trans.__('Undo this run in the compared files')
    : trans.__('Undo this run');
}

/** The files that this run alone can have changed: what *Undo this run* reverts. */
export function certainFiles({ files }: Pick<Changes, 'files'>): ChangedFile[] {
  return files.filter(({ uncertain }) => !uncertain);
}

/** Whether everything that *Undo this run* reverts is reverted. */
export function isReverted(changes: Changes): boolean {
  const files = certainFiles(changes);
  return files.length > 0 && files.every(file => file.decision?.decision === 'reverted');
}

/** What is said of runs that worked in the same folder at the same time; empty where none did. */
export function besideLabel(
  { beside, files }: Pick<Changes, 'beside' | 'files'>,
  trans: TranslationBundle
): string {
  if (beside.length === 0) {
    return '';
  }
  const words = trans._n(
    'Another run was active here at the same time.',
    '%1 other runs were active here at the same time.',
    beside.length
  );
  const shared = files.filter(({ uncertain }) => uncertain).length;
  return shared === 0
    ? words
    : `${words} ${trans._n(
        'For %1 of these files, it is unclear which run changed it. Undoing this run does not touch it.',
        'For %1 of these files, it is unclear which run changed them. Undoing this run does not touch them.',
        shared
      )}`;
}

/** "Accepted by Ada", "Reverted by Ada"; empty where nobody has decided. */
export function decisionLabel(
  { decision }: Pick<ChangedFile, 'decision'>,
  trans: TranslationBundle
): string {
  if (!decision) {
    return '';
  }
  return decision.decision === 'accepted'
    ? trans.__('Accepted by %1', decision.by)
    : trans.__('Reverted by %1', decision.by);
}

const LONGEST_WORDS = 600;

/** The end of an answer, from the beginning of a paragraph where one fits. */
export function lastWords(text: string): string {
  const whole = text.trim();
  if (whole.length <= LONGEST_WORDS) {
    return whole;
  }
  const end = whole.slice(-LONGEST_WORDS);
  const paragraph = end.indexOf('\n\n');
  const start = paragraph >= 0 ? paragraph + 2 : end.search(/\s/) + 1;
  const words = end.slice(start);
  return isInsideCode(whole, words) ? whole : words;
}

/** A piece that begins within a fenced block would be drawn as something else. */
function isInsideCode(whole: string, words: string): boolean {
  const before = whole.slice(0, whole.length - words.length);
  return (before.match(/^(```|~~~)/gm) ?? []).length % 2 === 1;
}

/** The former path of a document, if the run has changed or created the file there; otherwise null. */
export function writtenFormerPath(
  run: Pick<Run, 'path'>,
  former: string,
  found: Changes | null | undefined
): string | null {
  const isWritten = found?.files.some(({ kind, path }) => path === former && kind !== 'deleted');
  return former !== run.path && isWritten ? former : null;
}
