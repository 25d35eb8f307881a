"""Other processes that hold deliberations, and how they are followed."""

from quorate.engine.hosts.detached_host import HostTerms, is_host
from quorate.engine.hosts.follow import follow, is_finished
from quorate.engine.hosts.host_choice import host_record
from quorate.engine.runner import Runner, Watch
from quorate.engine.shared_runner import close_idle_ledgers, close_shared
from quorate.settings.provider_settings import ProviderLimits

__all__ = [
    "HostTerms",
    "ProviderLimits",
    "Runner",
    "Watch",
    "close_idle_ledgers",
    "close_shared",
    "follow",
    "host_record",
    "is_finished",
    "is_host",
]
