"""The list of paths that no run's changes include, each entry with its reason. Data; pure.

`exclusions.py` applies it. `docs/how-to/review-changes.md` shows the same list; a test compares the two.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """Paths with one reason.

    `paths`: relative to a folder that the list names; one that ends with `*` matches every name with that prefix.
    `reason`: a phrase for people.
    """

    paths: tuple[str, ...]
    reason: str


SSH_KEYS = "SSH keys and the list of known hosts"
JUPYTER_STATE = "Jupyter's own settings, workspaces and runtime files"
JUPYTER_DOCUMENTS = "the open database of Jupyter's real-time collaboration"
CABINET_STATE = "the records of Jupyter Cabinet"
CLI_STATE = "conversations, settings and logins of {title}"
AGENT_VERSIONS = "earlier versions of the files of agents"
CACHE = "a cache, which its tool rebuilds"
HISTORY = "the history of a shell or an interpreter"
DOT_FOLDER = "a dot folder of the home directory, where programs keep their own files"
FROM_SETTING = "excluded by the server's setting changes_excluded"

BELOW_HOME = (
    Entry((".ssh",), SSH_KEYS),
    Entry((".gnupg", ".password-store"), "keys and passwords of GnuPG and pass"),
    Entry((".aws", ".azure", ".config/gcloud", ".oci", ".boto", ".s3cfg"), "logins to cloud services"),
    Entry((".kube", ".docker/config.json", ".config/containers"), "logins to clusters and container registries"),
    Entry((".netrc", "_netrc", ".git-credentials", ".config/git/credentials"), "passwords for web sites and git"),
    Entry((".config/gh", ".config/hub", ".config/glab-cli"), "logins of the GitHub and GitLab command-line tools"),
    Entry(
        (".pypirc", ".npmrc", ".yarnrc.yml", ".gem/credentials", ".cargo/credentials*"),
        "logins to package registries, which may hold a token",
    ),
    Entry((".pgpass", ".my.cnf", ".mylogin.cnf", ".databrickscfg", ".snowflake"), "passwords of databases"),
    Entry((".kaggle", ".huggingface", ".cache/huggingface/token"), "tokens of model and data services"),
    Entry((".local/share/keyrings", "Library/Keychains", ".vault-token", ".terraform.d"), "keyrings and tokens"),
    Entry((".Xauthority", ".ICEauthority"), "keys of the desktop session"),
    Entry((".jupyter", ".local/share/jupyter", ".ipython"), JUPYTER_STATE),
    Entry(
        (".cache", ".npm", ".cargo/registry", ".cargo/git", ".rustup", ".gradle", ".m2", ".nuget", ".conda/pkgs",
         "go/pkg", "miniconda3/pkgs", "anaconda3/pkgs", "Library/Caches"),
        CACHE,
    ),
    Entry(
        (".bash_history*", ".zsh_history*", ".python_history*", ".node_repl_history", ".sqlite_history",
         ".psql_history", ".mysql_history", ".lesshst*", ".viminfo*", ".wget-hsts"),
        HISTORY,
    ),
)  # fmt: skip
# Files that Jupyter writes below the root, wherever the home directory is.
BELOW_ROOT = (Entry((".jupyter",), JUPYTER_STATE), Entry((".agents/.versions",), AGENT_VERSIONS))
ANYWHERE = (Entry((".jupyter_ystore.db*",), JUPYTER_DOCUMENTS),)  # in the folder where the server was started

# Dot folders of the home directory that are compared: agents and plays, and those of a project at the home.
COMPARED_DOT_FOLDERS = frozenset(
    {".agents", ".playbooks", ".binder", ".circleci", ".devcontainer", ".github", ".gitlab", ".husky"}
)
