/**
 * A form of the tab of plans.
 */
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { DraftStore } from '../../shared/draft';
import { DraftDialog } from '../../shared/views/DraftDialog';
import { type IWhyNot, usePlans, useWhyNot } from './services';

export { useDraft } from '../../shared/views/DraftDialog';

export function SendDialog<T extends object>(props: {
  label: string;
  button: string;
  icon?: LabIcon;
  store: DraftStore<T>;
  /** The right that it needs, `change` by default. */
  right?: keyof IWhyNot;
  /** Whether enough is written. */
  isReady: boolean;
  send: (draft: Readonly<T>) => Promise<unknown>;
  children: React.ReactNode;
}): React.ReactElement {
  const { right = 'change', ...rest } = props;
  const { plans, trans } = usePlans();
  const blocked = useWhyNot()[right];
  return <DraftDialog {...rest} blocked={blocked} trans={trans} onClose={() => plans.show(null)} />;
}
