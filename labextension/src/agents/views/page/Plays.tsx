/**
 * The plays that this agent carries out.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Commands } from '../../../shared/commands';
import { useChanges } from '../../../shared/views/hooks';
import { MayButton, Nothing, Refused } from '../parts';
import { Play } from '../plays/Play';
import { PlayRows } from '../plays/PlayRows';
import { PlayContext } from '../plays/services';
import { usePage, useWhyNot } from './services';

export function Plays({ onRun }: { onRun: (id: string) => void }): React.ReactElement {
  const services = usePage();
  const { page, run, trans } = services;
  const { playbook, plays } = page;
  useChanges(plays.changed);
  const whyNot = useWhyNot(null);
  const [chosen, choose] = React.useState<string | null>(null);
  const items = plays.value ?? [];
  const current = (items.find(({ slug }) => slug === chosen) ?? items[0])?.slug ?? null;
  const given = React.useMemo(
    () => ({ ...services, playbook, plays: null, showRun: onRun }),
    [services, onRun]
  );
  return (
    <PlayContext.Provider value={given}>
      <div className="jp-Cabinet-page-split">
        <div className="jp-Cabinet-page-list">
          <Refused text={plays.problem} />
          {plays.value !== null && items.length === 0 && (
            <>
              <Nothing>{trans.__('No plays yet. Plays that use this agent appear here.')}</Nothing>
              <div className="jp-Cabinet-page-bar">
                <MayButton
                  icon={addIcon}
                  label={trans.__('New play…')}
                  whyNot={whyNot}
                  onClick={() => run(Commands.newPlay)}
                />
              </div>
            </>
          )}
          <PlayRows plays={items} current={current} onChoose={choose} />
        </div>
        <div className="jp-Cabinet-page-beside">
          {current && (
            <Play
              key={current}
              slug={current}
              onEdit={() => run(Commands.plays, { play: current, edit: 'true' })}
            />
          )}
        </div>
      </div>
    </PlayContext.Provider>
  );
}
