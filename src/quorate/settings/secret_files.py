"""Names of files that usually hold keys, passwords or private settings."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

__all__ = ["is_secret"]

FILES: Final = (
    *(".env", ".env.*", "*.env", ".envrc", "credentials*", "secret.*", "secrets.*", "*.secret", "*.token"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.gpg", "*.asc"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*_rsa", "*_ed25519"),
    *(".netrc", "_netrc", ".npmrc", ".yarnrc*", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials"),
    *(".dockercfg", ".dockerconfigjson", "kubeconfig", "*.kubeconfig", "*.tfstate*", "*.tfvars*", "*_history"),
    *("service-account*.json", "service_account*.json", "client_secret*.json", "wallet.dat", "shadow"),
)
FOLDERS: Final = frozenset(
    (
        *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud", "gcloud", ".git", ".password-store"),
        *(".mozilla", "keychains", ".terraform.d"),
    )
)


def is_secret(path: Path) -> bool:
    """Whether a path looks like a secret by its name or by a folder it lies in; letter case does not matter."""
    name = path.name.casefold()
    return any(fnmatchcase(name, pattern) for pattern in FILES) or any(
        part.casefold() in FOLDERS for part in path.parts[:-1]
    )
