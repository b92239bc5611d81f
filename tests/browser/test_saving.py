"""A notebook that is saved all the time while its kernel prints and agents write its file."""

from __future__ import annotations

from collections.abc import Callable

import nbformat
import pytest
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import expect

pytestmark = pytest.mark.slow(reason="kernels and runs of the demo agent in a real browser")
OpenLab = Callable[..., Lab]
PRINTS = "import time\nfor number in range(1000):\n    print(number, flush=True)\n    time.sleep(0.1)"
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
SAVE_ALL_THE_TIME = """() => {
    const { context } = window.jupyterapp.shell.currentWidget;
    const save = () => context.save().catch(error => window.saving.errors.push(String(error?.message ?? error)));
    window.saving = { errors: [], dialogs: 0, timer: setInterval(save, 200) };
    new MutationObserver(() => {
        if (document.querySelector('.jp-Dialog')) {
            window.saving.dialogs += 1;
        }
    }).observe(document.body, { childList: true, subtree: true });
}"""


@pytest.mark.long(reason="saves for some seconds; the rules are tried by themselves in followedDocument.spec.ts")
@pytest.mark.parametrize("collaboration", [pytest.param(False, id="alone"), pytest.param(True, id="shared")])
def test_saving_asks_nothing_while_a_kernel_and_agents_write(
    request: pytest.FixtureRequest, open_lab: OpenLab, collaboration: bool
) -> None:
    server: Server = request.getfixturevalue("rtc_server" if collaboration else "lab_server")
    path = f"saved-{collaboration}.ipynb"
    cells = [nbformat.v4.new_code_cell(PRINTS)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL}), server.root / path)
    lab = open_lab(server, path)
    lab.save_kernel_metadata()
    lab.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-cell')")
    lab.page.evaluate(SAVE_ALL_THE_TIME)
    with server.client("ada") as client:
        for number in range(4):
            run = server.run(
                client,
                f"add a markdown cell: Number {number}",
                wait=0,
                kind="editor",
                path=path,
                runtime="demo",
                mode="headless",
            )
            until(lambda id=run["id"]: client.get(f"runs/{id}").json()["finished_at"], what="the run to end")
    expect(lab.page.locator(".jp-MarkdownCell", has_text="Number 3")).to_have_count(1)
    lab.page.evaluate("() => clearInterval(window.saving.timer)")
    assert lab.page.evaluate("() => [window.saving.dialogs, window.saving.errors]") == [0, []]
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt()")
