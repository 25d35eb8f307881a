"""Which files usually hold keys, passwords or private settings, by their names alone."""

import unicodedata
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Final

__all__ = ["SECRET_FILES", "SECRET_FOLDERS", "is_secret", "is_secret_name"]

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
