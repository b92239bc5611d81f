/**
 * The library of skills and tool servers as the content of a tab.
 */
import * as React from 'react';

import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { LibraryPane } from './LibraryPane';
import { type ISkillServices, SkillContext } from './services';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/pane.css';
import '../../../style/library.css';

export function drawSkills(tab: LazyTab, services: ISkillServices): void {
  const widget = fillTab(
    tab,
    <SkillContext.Provider value={services}>
      <LibraryPane />
    </SkillContext.Provider>
  );
  widget.disposed.connect(() => {
    services.place.dispose();
    services.skills.dispose();
    services.toolServers.dispose();
    services.ofClis.dispose();
  });
}
