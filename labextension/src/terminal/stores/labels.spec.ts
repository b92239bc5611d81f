import { nullTranslator } from '@jupyterlab/translation';

import { privacyText } from './labels';

const trans = nullTranslator.load('jupyter_cabinet');

it('says truly who can see a private terminal, with one shared token too', () => {
  expect(privacyText({ ownsAll: false }, trans)).toMatch(/^Only you and administrators/);
  expect(privacyText({ ownsAll: true }, trans)).toMatch(/everyone who is logged in can see it\.$/);
});
