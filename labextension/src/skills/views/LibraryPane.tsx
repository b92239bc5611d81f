/**
 * The library: skills, tool servers, and the tool servers of the CLIs, one of them at a time.
 */
import * as React from 'react';

import { Tabs } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../shared/views/keptFocus';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import type { LibraryPart } from '../stores/place';
import { useSkills } from './services';
import { SkillsPane } from './SkillsPane';
import { ToolServersOfClisPane } from './ToolServersOfClisPane';
import { ToolServersPane } from './ToolServersPane';

const FOCUS: IFocusTargets = {
  parts: [['.jp-Cabinet-pane-page', '']],
  places: [".jp-Cabinet-pane-row[tabindex='0']", '.jp-Cabinet-pane-page']
};

export function LibraryPane(): React.ReactElement {
  const { connection, place, skills, toolServers, trans } = useSkills();
  useChanges(place.changed, skills.changed, toolServers.changed, connection.changed);
  const { part } = place;
  const content = React.useRef<HTMLDivElement>(null);
  const panelId = React.useId();
  const { chosen } = part === 'skills' ? skills : toolServers;
  useKeptFocus(content, FOCUS);
  React.useLayoutEffect(() => {
    const { activeElement } = document;
    if (content.current?.contains(activeElement) && !activeElement?.checkVisibility()) {
      const next = chosen ? '.jp-Cabinet-pane-page' : '.jp-Cabinet-pane-row[aria-current]';
      content.current.querySelector<HTMLElement>(next)?.focus(); // in a narrow tab, only one of both is seen
    }
  }, [chosen]);
  return (
    <div
      ref={content}
      className={`jp-Cabinet-pane jp-Cabinet-library ${chosen ? 'jp-mod-open' : ''}`.trim()}
      tabIndex={-1}
      data-first-focus
    >
      <OfflineStrip connection={connection} trans={trans} />
      <Tabs<LibraryPart>
        label={trans.__('Skills and tools')}
        tabs={[
          { id: 'skills', label: trans.__('Skills') },
          { id: 'tools', label: trans.__('Tool servers') },
          { id: 'clis', label: trans.__('Tool servers of the CLIs') }
        ]}
        current={part}
        panelId={panelId}
        onSelect={next => place.go(next)}
      />
      <div id={panelId} className="jp-Cabinet-pane-part" role="tabpanel">
        {part === 'skills' && <SkillsPane />}
        {part === 'tools' && <ToolServersPane />}
        {part === 'clis' && <ToolServersOfClisPane onCopy={() => place.go('tools')} />}
      </div>
    </div>
  );
}
