/**
 * The field of the terminal's font size in the settings. Loaded when it is first shown.
 */
import type { IFormRenderer } from '@jupyterlab/ui-components';
import * as React from 'react';

type Field = NonNullable<IFormRenderer['fieldRenderer']>;

/** As JupyterLab draws a number, with the name for a screen reader that its own field lacks. */
export const FontSize = (props: React.ComponentProps<Field>): React.ReactElement => {
  const { formData, idSchema, onChange, schema } = props;
  const id = idSchema.$id;
  const field = React.createElement('input', {
    id,
    className: 'form-control',
    type: 'number',
    min: schema.minimum,
    max: schema.maximum,
    value: formData ?? '',
    onChange: ({ target }: React.ChangeEvent<HTMLInputElement>) =>
      onChange(target.value === '' ? undefined : Number(target.value))
  });
  const label = { className: 'jp-FormGroup-fieldLabel jp-FormGroup-contentItem', htmlFor: id };
  return React.createElement(
    React.Fragment,
    null,
    React.createElement('label', label, schema.title),
    React.createElement(
      'div',
      { className: 'jp-inputFieldWrapper jp-FormGroup-contentItem' },
      field
    )
  );
};
