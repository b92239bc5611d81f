import { type JupyterFrontEnd, LabShell } from '@jupyterlab/application';

import { isLab, openLab } from './labPage';

const serviceManager = { serverSettings: { baseUrl: 'http://localhost/user/ada/' } };
const app = (shell: unknown) => ({ shell, serviceManager }) as unknown as JupyterFrontEnd;

describe('the page of JupyterLab', () => {
  it('is known by its shell', () => {
    expect(isLab(app(Object.create(LabShell.prototype)))).toBe(true);
    expect(isLab(app({}))).toBe(false); // Notebook 7 has a different one
  });

  it('is opened with what it shall show', () => {
    const open = jest.spyOn(window, 'open').mockReturnValue(null);
    openLab(app({}), 'cabinet-terminal', 'new');
    expect(open).toHaveBeenCalledWith(
      'http://localhost/user/ada/lab?cabinet-terminal=new',
      '_blank',
      'noopener'
    );
  });
});
