/**
 * The skills as the content of a tab.
 */
import * as React from 'react';

import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { type ISkillServices, SkillContext } from './services';
import { SkillsPane } from './SkillsPane';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/skills.css';

export function drawSkills(tab: LazyTab, services: ISkillServices): void {
  const widget = fillTab(
    tab,
    <SkillContext.Provider value={services}>
      <SkillsPane />
    </SkillContext.Provider>
  );
  widget.disposed.connect(() => services.skills.dispose());
}
