"""Which files usually hold keys or passwords, and which are known to be text or source, by their names alone."""

import unicodedata
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Final

__all__ = ["SECRET_FILES", "SECRET_FOLDERS", "is_secret", "is_secret_name", "may_be_entered", "may_be_shown"]

SECRET_FILES: Final = (
    *(".env", ".env.*", "*.env", ".envrc", "credentials*", "secret.*", "secrets.*", "*.secret", "*.token"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.gpg", "*.asc"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*_rsa", "*_ed25519"),
    *(".netrc", "_netrc", ".npmrc", ".yarnrc*", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials"),
    *(".dockercfg", ".dockerconfigjson", "kubeconfig", "*.kubeconfig", "*.tfstate*", "*.tfvars*", "*_history"),
    *("service-account*.json", "service_account*.json", "client_secret*.json", "wallet.dat", "shadow"),
)
"""Names of files that usually hold keys, passwords or private settings."""
SECRET_FOLDERS: Final = frozenset(
    (
        *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud", "gcloud", ".git", ".password-store"),
        *(".mozilla", "keychains", ".terraform.d"),
    )
)


def is_secret(path: Path) -> bool:
    """Whether a path looks like a secret by its name or by a folder it lies in; letter case does not matter."""
    name = path.name.casefold()
    return any(fnmatchcase(name, pattern) for pattern in SECRET_FILES) or any(
        part.casefold() in SECRET_FOLDERS for part in path.parts[:-1]
    )


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether one name on a path looks like a secret, be it a file's or a folder's, however it is spelt.

    Some file systems take names for the same that differ in case, in invisible characters or in dots at the end.
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKC", name) if unicodedata.category(sign) != "Cf")
    plain = plain.casefold().rstrip(" .")
    return plain in SECRET_FOLDERS or any(fnmatchcase(plain, pattern) for pattern in SECRET_FILES)


# What a panel may be shown is listed, because lists of secrets are never complete: `.env~`, `.netrc.old`,
# `.vault-token` and `auth.json` were on none.
_KINDS: Final = frozenset(
    (
        *("md", "markdown", "rst", "txt", "text", "adoc", "asciidoc", "org", "tex", "bib", "csv", "tsv", "log"),
        *(
            "py",
            "pyi",
            "pyx",
            "pxd",
            "ipynb",
            "rb",
            "erb",
            "rake",
            "gemspec",
            "pl",
            "pm",
            "php",
            "lua",
            "tcl",
            "r",
            "jl",
        ),
        *("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "astro", "coffee", "elm"),
        *("html", "htm", "xhtml", "css", "scss", "sass", "less", "svg", "jinja", "j2", "tmpl", "hbs", "ejs"),
        *("c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ino", "m", "mm", "s", "asm", "cu", "cl", "ld"),
        *(
            "go",
            "mod",
            "sum",
            "rs",
            "zig",
            "nim",
            "d",
            "v",
            "vy",
            "sol",
            "swift",
            "kt",
            "kts",
            "java",
            "scala",
            "groovy",
        ),
        *(
            "cs",
            "fs",
            "fsx",
            "vb",
            "csproj",
            "fsproj",
            "vbproj",
            "sln",
            "props",
            "targets",
            "xaml",
            "clj",
            "cljs",
            "edn",
        ),
        *("ex", "exs", "erl", "hrl", "hs", "lhs", "cabal", "ml", "mli", "dart", "f", "f90", "pas", "ada", "adb", "ads"),
        *("sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "awk", "sed", "vim", "el", "lisp", "scm", "rkt"),
        *("sql", "graphql", "gql", "proto", "thrift", "avsc", "xsd", "xsl", "xslt", "wsdl", "dtd"),
        *(
            "cmake",
            "mk",
            "make",
            "ninja",
            "gradle",
            "bzl",
            "bazel",
            "nix",
            "dockerfile",
            "patch",
            "diff",
            "feature",
            "po",
        ),
        *("tf", "rego", "jsonnet", "cue", "dhall", "hcl", "puml", "mmd", "dot"),
        # Settings live in these, so names are looked at once more below.
        *("json", "jsonc", "json5", "jsonl", "yaml", "yml", "toml", "xml", "ini", "cfg", "conf", "properties", "lock"),
    )
)
"""Endings of files that are shown."""
_NAMES: Final = frozenset(
    (
        *(
            "makefile",
            "gnumakefile",
            "dockerfile",
            "containerfile",
            "jenkinsfile",
            "vagrantfile",
            "procfile",
            "justfile",
        ),
        *(
            "rakefile",
            "gemfile",
            "podfile",
            "brewfile",
            "cmakelists.txt",
            "build",
            "workspace",
            "caddyfile",
            "snakefile",
        ),
        *("readme", "license", "licence", "copying", "notice", "authors", "contributors", "contributing", "changelog"),
        *(
            "changes",
            "news",
            "todo",
            "install",
            "history",
            "version",
            "codeowners",
            "maintainers",
            "security",
            "owners",
        ),
        *(".gitignore", ".gitattributes", ".gitmodules", ".dockerignore", ".editorconfig", ".prettierrc", ".eslintrc"),
        *(".prettierignore", ".eslintignore", ".npmignore", ".python-version", ".node-version", ".nvmrc", ".mailmap"),
        *(".pre-commit-config.yaml", ".pre-commit-hooks.yaml", ".gitlab-ci.yml", ".travis.yml", ".golangci.yml"),
        *(".readthedocs.yaml", ".readthedocs.yml", ".eslintrc.json", ".eslintrc.js", ".prettierrc.json", ".babelrc"),
        *(
            ".clang-format",
            ".clang-tidy",
            ".rubocop.yml",
            ".yamllint",
            ".pylintrc",
            ".flake8",
            ".coveragerc",
            "py.typed",
        ),
    )
)
"""Whole names that are shown, although they have no such ending or begin with a dot."""
_SETTINGS: Final = frozenset(
    ("json", "jsonc", "json5", "jsonl", "yaml", "yml", "toml", "xml", "ini", "cfg", "conf", "properties", "txt", "csv")
)
_KEEPS_KEYS: Final = frozenset(
    (
        *("auth", "oauth", "credential", "credentials", "creds", "secret", "secrets", "token", "tokens", "password"),
        *("passwords", "passwd", "passphrase", "apikey", "apikeys", "keys", "key", "keyring", "keystore", "keychain"),
        *("session", "sessions", "cookie", "cookies", "login", "logins", "private", "vault", "kubeconfig", "wallet"),
        *("pgpass", "htpasswd", "netrc", "env", "mnemonic"),
    )
)
"""Words in the name of a settings file that may hold a key."""
_FOLDERS: Final = frozenset((".github", ".gitlab", ".circleci", ".storybook", ".changeset", ".well-known"))
"""Folders that are entered although they begin with a dot."""


def may_be_shown(name: str) -> bool:
    """Whether a file of this name may be shown; letter case doesn't matter, and every other spelling is refused."""
    plain = name.casefold()
    if not name.isprintable() or is_secret_name(name):
        return False
    if plain in _NAMES:
        return True
    stem, dot, kind = plain.rpartition(".")
    if plain.startswith(".") or not dot or kind not in _KINDS:
        return False
    words = "".join(sign if sign.isalnum() else " " for sign in stem).split()
    return kind not in _SETTINGS or _KEEPS_KEYS.isdisjoint(words)


def may_be_entered(name: str) -> bool:
    """Whether a folder of this name may be entered."""
    return not is_secret_name(name) and (not name.startswith(".") or name.casefold() in _FOLDERS)
