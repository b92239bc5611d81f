/**
 * Says over what a foreign notebook shows that it does nothing, and lets a person have it here.
 */
import * as React from 'react';

import { Button, Strip } from '../../shared/views/components';
import type { View } from '../stores/view';
import { useCells } from './services';

/** Only where something could be done. */
export function ConsentStrip({ view }: { view: View }): React.ReactElement {
  const { consent, trans } = useCells();
  const isTerminal = view.view === 'terminal';
  const label = isTerminal ? trans.__('Open the terminal') : trans.__('Enable the buttons');
  return (
    <Strip actions={<Button label={label} onClick={() => consent.allow(view)} />}>
      {isTerminal
        ? trans.__('This notebook is not trusted, so the terminal does not open automatically.')
        : trans.__('This notebook is not trusted, so its buttons are disabled.')}
    </Strip>
  );
}
