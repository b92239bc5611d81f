import { createMarkdownParser } from '@jupyterlab/markedparser-extension';
import { EditorLanguageRegistry } from '@jupyterlab/codemirror';
import { RenderMimeRegistry, standardRendererFactories } from '@jupyterlab/rendermime';

import { renderUntrusted } from './renderUntrusted';

const rendermime = new RenderMimeRegistry({
  initialFactories: standardRendererFactories,
  markdownParser: createMarkdownParser(new EditorLanguageRegistry())
});

async function rendered(text: string): Promise<HTMLElement> {
  const host = document.createElement('div');
  await renderUntrusted(host, text, { markdown: rendermime });
  return host;
}

describe('renderUntrusted', () => {
  it('shows HTML as the text it is', async () => {
    const host = await rendered('<img src=x onerror=alert(1)><script>1</script> &lt;b&gt;');
    expect(host.querySelector('img, script, b')).toBeNull();
    expect(host.textContent).toContain('<img src=x onerror=alert(1)><script>1</script> <b>');
  });

  it('loads no image: it becomes a link with its host', async () => {
    const host = await rendered('![chart](https://tracker.example/x.png)');
    expect(host.querySelector('img')).toBeNull();
    expect(host.querySelector('a')?.getAttribute('href')).toBe('https://tracker.example/x.png');
    expect(host.textContent).toContain('tracker.example');
  });

  it('shows the real host of a link that says something else', async () => {
    const host = await rendered('[https://bank.example](https://evil.example/login)');
    expect(host.textContent).toContain('(evil.example)');
    expect(host.querySelector('a')?.rel).toContain('noopener');
  });

  it('shows the real host of an address that looks like another', async () => {
    const host = await rendered('[https://аррӏе.example/](https://аррӏе.example/)');
    expect(host.textContent).toContain('(xn--');
    const plain = await rendered('https://evil.example/x');
    expect(plain.textContent?.trim()).toBe('https://evil.example/x');
  });

  it('links nothing but the web', async () => {
    const host = await rendered(
      '[x](javascript:alert(1)) [y](../secret.ipynb) [z](data:text/html,1)'
    );
    expect(host.querySelector('a')).toBeNull();
    expect(host.textContent).toContain('x y z');
  });

  it('shows hidden characters, also those an entity makes', async () => {
    const host = await rendered('a&#x202e;b and `c\u200bd`');
    expect(host.textContent).toContain('a‹U+202E›b');
    expect(host.textContent).toContain('c‹U+200B›d');
  });

  it('keeps what Markdown is for', async () => {
    const host = await rendered('# Title\n\n- one\n- **two** `a < b`\n\n```python\nx < 1\n```');
    expect(host.querySelector('[role=heading]')?.textContent).toBe('Title');
    expect(host.querySelectorAll('li')).toHaveLength(2);
    expect(host.querySelector('strong')?.textContent).toBe('two');
    expect(host.querySelector('pre')?.textContent).toContain('x < 1');
    expect(host.querySelector('[class], [id], [style]')).toBeNull();
  });

  it('draws no diagram and no formula', async () => {
    const host = await rendered('```mermaid\ngraph TD\n```\n\n$\\href{javascript:1}{x}$');
    expect(host.querySelector('svg, img, mjx-container')).toBeNull();
    expect(host.textContent).toContain('graph TD');
  });

  it('shows plain text as it stands where no Markdown is wanted', async () => {
    const host = document.createElement('div');
    await renderUntrusted(host, '**a** <b>\u202e');
    expect(host.textContent).toBe('**a** <b>‹U+202E›');
    expect(host.children).toHaveLength(0);
  });
});
