/**
 * How other plugins reach the agent CLIs, and what a person chose to run with.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { ChoiceStore } from './stores/choices';
import type { RuntimeStore } from './stores/runtimes';

export type IRuntimes = Lazy<RuntimeStore>;

export const IRuntimes = new Token<IRuntimes>(
  'jupyter-cabinet:IRuntimes',
  'Gives the agent CLIs that the server has found.'
);

export type IChoices = Lazy<ChoiceStore>;

export const IChoices = new Token<IChoices>(
  'jupyter-cabinet:IChoices',
  'Gives what a person chose to run with: runtime, model, permission mode.'
);
