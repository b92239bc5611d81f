/**
 * Who may decide about the changes of a run. The server decides; this keeps buttons away that it would refuse. Pure.
 */
import type { Run } from '../../api/types';
import { isOwn } from '../../runs';
import type { ConnectionStore } from '../../shared/connection';

export function mayDecide(
  run: Run,
  { mayRun, online, username }: Pick<ConnectionStore, 'mayRun' | 'online' | 'username'>
): boolean {
  return mayRun && online && isOwn(run, username);
}
