/**
 * A review as the content of a tab. Loaded lazily.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { ReviewStore } from '../stores/review';
import { ReviewPane } from './ReviewPane';
import { ChangesContext, type IReviewServices, ReviewContext } from './services';

import '../../../style/shared.css';
import '../../../style/changes.css';
import '../../../style/review.css';

export function fillReview(tab: LazyTab, run: Run, services: IReviewServices): void {
  const review = new ReviewStore(services.changes, run);
  const name = run.path?.split('/').pop() ?? run.instruction;
  tab.title.label = services.trans.__('Review: %1', visible(name));
  tab.title.caption = visible(run.instruction);
  const widget = fillTab(
    tab,
    <ChangesContext.Provider value={services}>
      <ReviewContext.Provider value={services}>
        <ReviewPane review={review} />
      </ReviewContext.Provider>
    </ChangesContext.Provider>
  );
  widget.disposed.connect(() => review.dispose());
}
