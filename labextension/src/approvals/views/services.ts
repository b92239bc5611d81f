/**
 * What the approvals are shown with, in their panel and beside a session's terminal.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Approval } from '../../api/types';
import type { ApprovalStore } from '../stores/approvals';
import type { ReviewStore } from '../stores/reviews';
import type { ShownApprovals } from '../stores/shownApprovals';
import { visible } from '../../shared/untrusted';
import type { ConnectionStore } from '../../shared/connection';

/** Made once for a page, by the approvals’ plugin. */
export interface IApprovalServices {
  connection: ConnectionStore;
  store: ApprovalStore;
  reviews: ReviewStore;
  shown: ShownApprovals;
  trans: TranslationBundle;
  run: (command: string, args?: Record<string, string>) => void;
  showOutput: (runId: string) => Promise<void>;
}

export const ApprovalContext = React.createContext<IApprovalServices | null>(null);

/** Only below an `ApprovalContext`. */
export function useApprovals(): IApprovalServices {
  return React.useContext(ApprovalContext)!;
}

/** Tells that a question (null: all of them) is on the screen for as long as the element, or what holds it, is. */
export function useShown(
  element: React.RefObject<Element>,
  id: string | null,
  approvals: ShownApprovals
): void {
  React.useEffect(() => {
    let shown = false;
    const show = (isShown: boolean) => {
      if (isShown !== shown) {
        shown = isShown;
        approvals.set(id, isShown);
      }
    };
    const observer = new IntersectionObserver(entries =>
      show(entries[entries.length - 1].isIntersecting)
    );
    // A session shows it in several places: a person who sees it needs no notification.
    observer.observe(element.current!.closest('.jp-Cabinet-session') ?? element.current!);
    return () => {
      observer.disconnect();
      show(false);
    };
  }, [element, approvals, id]);
}

/** The name of the person whose run asks. */
export function ownerOf({ owner, owner_name }: Approval): string {
  return visible(owner_name || owner);
}
