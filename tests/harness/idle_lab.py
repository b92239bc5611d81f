"""JupyterLab that looks twice a second whether it has been idle for long enough; Jupyter itself looks every minute.

Run as a program, in place of `jupyter lab`. It begins when the file `look` is in its folder: a start may take long.
"""

from pathlib import Path

from jupyter_server.serverapp import ServerApp
from jupyterlab.labapp import main
from tornado.ioloop import PeriodicCallback


def look_often(server: ServerApp) -> None:
    def look() -> None:
        if Path("look").exists():
            server.shutdown_no_activity()

    PeriodicCallback(look, 500).start()


ServerApp.init_shutdown_no_activity = look_often

if __name__ == "__main__":
    main()
