"""Where things of the user lie: the ledger, the folder for state, the user's file."""

from quorate.settings.base_folders import ledger_place, state_folder, user_file

__all__ = ["ledger_place", "state_folder", "user_file"]
