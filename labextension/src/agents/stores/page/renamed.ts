/**
 * The new slug of an agent, where an event says that it was renamed. Pure.
 */
import type { CabinetEvent } from '../../../api/types';

export function newSlugOf(slug: string, event: { type: string }): string | null {
  const known = event as CabinetEvent;
  return known.type === 'agent_removed' && known.agent === slug ? known.renamed_to || null : null;
}
