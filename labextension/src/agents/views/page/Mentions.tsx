/**
 * Links to the agents that a text mentions with an `@`.
 */
import * as React from 'react';

import { Commands } from '../../../shared/commands';
import { visible } from '../../../shared/untrusted';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { MOST_MENTIONED, mentionsIn } from '../../stores/mentions';
import { usePage } from './services';

/** Only of agents that exist and that this person may see. */
export function Mentions({ text }: { text: string }): React.ReactElement | null {
  const { agents, run, trans } = usePage();
  useChanges(agents.changed);
  const slugs = React.useMemo(() => mentionsIn(text), [text]);
  const isAny = slugs.length > 0;
  React.useEffect(() => (isAny ? agents.watchAll() : undefined), [agents, isAny]);
  const known = slugs.filter(slug => agents.row(slug) !== null).slice(0, MOST_MENTIONED);
  return known.length === 0 ? null : (
    <p className="jp-Cabinet-quiet" role="group" aria-label={trans.__('Mentioned agents')}>
      {trans.__('Mentioned:')}
      {known.map(slug => (
        <React.Fragment key={slug}>
          {' '}
          <Button
            link
            label={`@${slug}`}
            title={trans.__('Open the page of %1', visible(agents.nameOf(slug)))}
            onClick={() => run(Commands.openAgent, { agent: slug })}
          />
        </React.Fragment>
      ))}
    </p>
  );
}
