"""A worker of a batch whose first life ends badly: it stops listening, and is there for a while still."""

import os
import sys
import time
from pathlib import Path

from quorate.engine.batches.worker_process import main

if __name__ == "__main__":
    lived = Path(os.environ["FIRST_LIFE"])
    if lived.exists():
        main()
    else:
        sys.stdin.readline()
        os.close(sys.stdin.fileno())
        lived.touch()
        time.sleep(60)
