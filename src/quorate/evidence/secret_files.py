"""Which files usually hold keys or passwords, and which are known to be text or source, by their names alone.

What a panel or an agent is shown without anybody's consent is listed, because lists of secrets are never complete:
`.env~`, `.netrc.old`, `.vault-token` and `auth.json` were on none.
"""

import re
import unicodedata
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Final

__all__ = [
    "SECRET_FILES",
    "SECRET_FOLDERS",
    "is_open_name",
    "is_secret",
    "is_secret_name",
    "may_be_entered",
    "may_be_shown",
]

SECRET_FILES: Final = (
    *(".env.*", "*.env", ".envrc*", ".flaskenv", "credentials*", "secret.*", "secrets.*", "*.secret", "*.pem", "*.key"),
    *("*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.gpg", "*.asc", "*.token", "*.jwk"),
    *("*.jwks", "*.keytab", "*.ovpn", "krb5cc*", "key[34].db", "logins.json", "cookies*", "login data", "id_rsa*"),
    *("id_dsa*", "id_ecdsa*", "id_ed25519*", "*_rsa", "*_ed25519", "*sshkey*", ".netrc", "_netrc", ".npmrc"),
    *(".yarnrc*", ".pypirc", ".pgpass", ".my.cnf", ".mylogin.cnf", ".htpasswd", ".boto", ".s3cfg", "rclone.conf"),
    *(".terraformrc", "terraform.rc", "pip.conf", "nuget.config", "gradle.properties", ".dockercfg"),
    *(".dockerconfigjson", "*kubeconfig*", "*.tfstate*", "*.tfvars*", "*_history", "passwd", "shadow"),
    *("*service-account*", "*service_account*", "*serviceaccount*", "client_secret*.json", "firebase-adminsdk*"),
    *("wallet.*", "local.settings.json", "appsettings*.json", "auth.json", "oauth*.json", "oauth_creds*"),
    *(".git-credentials",),
)
"""Names of files that usually hold keys, passwords or private settings."""
SECRET_FOLDERS: Final = frozenset(
    (
        *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud", "gcloud", ".git", ".password-store"),
        *(".mozilla", "keychains", ".terraform.d", ".vault", ".secrets", "secrets"),
    )
)
_SECRET_WORDS: Final = frozenset(
    (
        *("secret", "secrets", "token", "tokens", "password", "passwords", "passwd", "passphrase", "credential"),
        *("credentials", "creds", "apikey", "apikeys", "vault", "key", "keys", "keystore", "cookie", "htpasswd"),
        *("auth", "oauth", "keyring", "keychain", "session", "sessions", "cookies", "login", "logins", "private"),
        *("kubeconfig", "wallet", "pgpass", "netrc", "env", "mnemonic"),
    )
)
"""A file with one of these words in its name is a secret, unless it is a program's source or prose. A name without a
dot is more often a folder's, such as `tokens`."""
_SOURCES: Final = frozenset(
    (
        *("md", "markdown", "rst", "adoc", "asciidoc", "tex", "bib", "py", "pyi", "pyx", "pxd", "rb", "erb", "rake"),
        *("gemspec", "pl", "pm", "lua", "tcl", "r", "jl", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue"),
        *("svelte", "astro", "coffee", "elm", "html", "htm", "xhtml", "css", "scss", "sass", "less", "svg", "jinja"),
        *("j2", "tmpl", "hbs", "ejs", "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ino", "m", "mm", "s"),
        *("asm", "cu", "cl", "ld", "go", "mod", "sum", "rs", "zig", "nim", "d", "v", "vy", "sol", "swift", "kt", "kts"),
        *("java", "scala", "groovy", "cs", "fs", "fsx", "vb", "csproj", "fsproj", "vbproj", "sln", "xaml", "clj"),
        *("cljs", "ex", "exs", "erl", "hrl", "hs", "lhs", "cabal", "ml", "mli", "dart", "f", "f90", "pas", "ada"),
        *("adb", "ads", "awk", "sed", "vim", "el", "lisp", "scm", "rkt", "graphql", "gql", "proto", "thrift", "avsc"),
        *("xsd", "xsl", "xslt", "wsdl", "dtd", "cmake", "mk", "make", "ninja", "gradle", "bzl", "bazel", "nix"),
        *("dockerfile", "patch", "diff", "feature", "po", "rego", "jsonnet", "cue", "dhall", "puml", "mmd", "dot"),
    )
)
"""Endings of programs' sources and of prose."""
_SETTINGS: Final = frozenset(
    (
        *("json", "jsonc", "json5", "jsonl", "yaml", "yml", "toml", "xml", "ini", "cfg", "conf", "properties", "txt"),
        *("csv", "log", "tsv", "lock", "sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "php", "sql", "tf", "hcl"),
        *("ipynb", "props", "targets", "edn", "text", "org"),
    )
)
"""Endings of settings, data and scripts, in which people sometimes write keys."""
_IMAGES: Final = frozenset(("png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "woff", "woff2", "ttf"))
_PROJECT_FILES: Final = frozenset(
    (
        *("package.json", "package-lock.json", "tsconfig.json", "pyproject.toml", "cargo.toml", "cargo.lock", "go.mod"),
        *("go.sum", "uv.lock", "poetry.lock", "yarn.lock", "pnpm-lock.yaml", "requirements.txt", "setup.cfg"),
        *("tox.ini", "pytest.ini", "makefile", "dockerfile", "justfile", "cmakelists.txt", "gemfile", "rakefile"),
        *("readme", "license", "copying", "notice", "authors", "changelog", "py.typed", ".gitignore", ".gitattributes"),
        *(".editorconfig", ".dockerignore", ".prettierrc", ".eslintrc.json", ".pre-commit-config.yaml"),
    )
)
"""Files by which projects say what they are made of and how they are built."""
_NAMES: Final = _PROJECT_FILES | frozenset(
    (
        *("gnumakefile", "containerfile", "jenkinsfile", "vagrantfile", "procfile", "podfile", "brewfile", "build"),
        *("workspace", "caddyfile", "snakefile", "licence", "contributors", "contributing", "changes", "news", "todo"),
        *("install", "history", "version", "codeowners", "maintainers", "security", "owners", ".gitmodules"),
        *(".eslintrc", ".prettierignore", ".eslintignore", ".npmignore", ".python-version", ".node-version", ".nvmrc"),
        *(".mailmap", ".pre-commit-hooks.yaml", ".gitlab-ci.yml", ".travis.yml", ".golangci.yml", ".readthedocs.yaml"),
        *(".readthedocs.yml", ".eslintrc.js", ".prettierrc.json", ".babelrc", ".clang-format", ".clang-tidy"),
        *(".rubocop.yml", ".yamllint", ".pylintrc", ".flake8", ".coveragerc"),
    )
)
"""Whole names that are shown, although they have no known ending or begin with a dot."""
_FOLDERS: Final = frozenset((".github", ".gitlab", ".circleci", ".storybook", ".changeset", ".well-known"))
"""Folders that are entered although they begin with a dot."""
_COPY: Final = re.compile(r"(?:~|\.(?:old|bak|backup|orig|save|sav|swp|tmp|temp|copy|prev|[0-9]{1,4}))$")
"""What is put behind the name of a file to keep an older one beside it."""
_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_secret(path: Path) -> bool:
    """Whether a path looks like a secret by its name or by a folder it lies in, however it is spelt."""
    return is_secret_name(path.name) or any(_plain(part).casefold() in SECRET_FOLDERS for part in path.parts[:-1])


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether one name on a path looks like a secret, be it a file's or a folder's, however it is spelt."""
    shown = _plain(name)
    plain = shown.casefold()
    while plain not in {"~", ""} and (copied := _COPY.search(plain)):
        plain = plain[: copied.start()]
        shown = shown[: copied.start()]
    if plain in SECRET_FOLDERS or any(fnmatchcase(plain, pattern) for pattern in SECRET_FILES):
        return True
    if "." not in plain or _suffix(plain) in _SOURCES:
        return False
    words = re.split(r"[^a-z0-9]+", _CAPITAL.sub("_", shown).casefold())
    return not _SECRET_WORDS.isdisjoint(words)


def may_be_shown(name: str) -> bool:
    """Whether a file of this name may be shown to a panel; case doesn't matter, every other spelling is refused."""
    plain = name.casefold()
    if not name.isprintable() or is_secret_name(name):
        return False
    return plain in _NAMES or _suffix(plain) in _SOURCES | _SETTINGS


def may_be_entered(name: str) -> bool:
    """Whether a folder of this name may be entered."""
    return not is_secret_name(name) and (not name.startswith(".") or name.casefold() in _FOLDERS)


def is_open_name(name: str) -> bool:
    """Whether a file may be read without asking: a source, an image or a project's own file, but no settings."""
    plain = name.casefold()
    if not name.isprintable() or is_secret_name(name):
        return False
    return plain in _PROJECT_FILES or _suffix(plain) in _SOURCES | _IMAGES


def _plain(name: str) -> str:
    """A name as a file system may take it: some know no case, no invisible characters and no dots at the end."""
    shown = unicodedata.normalize("NFKC", name)
    return "".join(sign for sign in shown if unicodedata.category(sign) != "Cf").rstrip(" .")


def _suffix(plain: str) -> str:
    """The ending of a name; a name that begins with its only dot has none."""
    stem, dot, suffix = plain.rpartition(".")
    return suffix if dot and stem and not plain.startswith(".") else ""
