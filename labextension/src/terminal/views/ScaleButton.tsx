/**
 * For those who see a screen of somebody else's size, which does not fit: made to fit, or as large as it is.
 */
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useTerminals } from './services';
import type { TerminalView } from './terminalView';

export function ScaleButton({ view }: { view: TerminalView }): React.ReactElement | null {
  const { trans } = useTerminals();
  useChanges(view.scaled);
  if (!view.isScalable) {
    return null;
  }
  const { scale } = view;
  return (
    <Button
      quiet
      label={scale === 'fit' ? trans.__('Actual size') : trans.__('Fit')}
      onClick={() => view.setScale(scale === 'fit' ? 'actual' : 'fit')}
    />
  );
}
