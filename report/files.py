"""Files that are written."""

import os

from report.load import Mistake


def replace(path, text):
    """Writes a file whole or not at all; it keeps its mode."""
    new = f"{path}.new.{os.getpid()}"
    try:
        with open(new, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if os.path.exists(path):
            os.chmod(new, os.stat(path).st_mode & 0o7777)
        os.replace(new, path)
    except OSError as error:
        raise Mistake(f"cannot write {path}: {error.strerror}") from None
    finally:
        if os.path.exists(new):
            os.remove(new)
