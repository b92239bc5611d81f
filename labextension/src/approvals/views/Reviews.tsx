/**
 * What waits for a person to review it, one row each, with the way to where it is decided.
 */
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Review } from '../../api/types';
import { agentIcon, planIcon } from '../../shared/icons/start';
import { skillIcon } from '../../shared/icons';
import { fullTime, when } from '../../shared/time';
import { Button, Icon } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { reviewNote, reviewPlace, reviewTitle } from '../stores/reviews';
import { useApprovals } from './services';

const ICONS: Readonly<Record<Review['kind'], LabIcon>> = {
  soul: agentIcon,
  directives: agentIcon,
  plan: planIcon,
  skill: skillIcon,
  tool_server: skillIcon
};

export function Reviews(): React.ReactElement | null {
  const { reviews, trans } = useApprovals();
  if (!reviews.mine.length) {
    return null;
  }
  const title = trans.__('To review');
  return (
    <section aria-label={title}>
      <h3 className="jp-Cabinet-group">{title}</h3>
      <ReviewRows items={reviews.mine} />
    </section>
  );
}

export function ReviewRows({ items }: { items: readonly Review[] }): React.ReactElement {
  return (
    <ul className="jp-Cabinet-plain-list">
      {items.map(review => (
        <Row key={`${review.kind} ${review.name}`} review={review} />
      ))}
    </ul>
  );
}

function Row({ review }: { review: Review }): React.ReactElement {
  const { run, trans } = useApprovals();
  const title = reviewTitle(review, trans);
  return (
    <li className="jp-Cabinet-row jp-Cabinet-review-row">
      <Icon icon={ICONS[review.kind]} />
      <span className="jp-Cabinet-row-main">
        <Untrusted className="jp-Cabinet-row-title" text={title} />
        <Untrusted className="jp-Cabinet-row-second" text={reviewNote(review, trans)} />
      </span>
      <time className="jp-Cabinet-row-time" dateTime={review.since} title={fullTime(review.since)}>
        {when(review.since, new Date(), trans)}
      </time>
      <Button
        label={review.may_decide ? trans.__('Review') : trans.__('Show')}
        title={title}
        onClick={() => run(...reviewPlace(review))}
      />
    </li>
  );
}
