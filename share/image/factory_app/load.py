"""Imports an app's modules as the host will, and tells what keeps it from calling their handlers.

usage: load.py    (the app lies in $PLATFORM_PATH, which sbx-bundle(5) describes)

Exit status 0: every handler of app.json is there to be called. 1: what is wrong stands on standard error.
"""

import importlib
import inspect
import json
import os
import sys
import traceback
import types

# The host's name for the app, under which its files are imported: they meet no module of Python's own, and may import one
# another by relative names.
PACKAGE = "app"


def import_file(path):
    """The module of a Python file, named by its path in the app."""
    parts = path.removesuffix(".py").split("/")
    if any("." in part for part in parts):
        raise ImportError(f"{path}: Python can't import a name with a dot in it")
    return importlib.import_module(".".join([PACKAGE, *parts]))


def open_package(root):
    """Make the app in ROOT importable under the host's name for it."""
    package = types.ModuleType(PACKAGE)
    package.__path__ = [root]
    sys.modules[PACKAGE] = package


def handler_problem(module, name):
    """Why the host can't await module.name(ctx, payload), or None."""
    handler = getattr(module, name, None)
    if not inspect.iscoroutinefunction(handler):
        return "is no async function"
    try:
        inspect.signature(handler).bind(None, None)
    except TypeError as error:
        return f"does not take (ctx, payload): {error}"
    return None


def own_frames(error, root):
    """The traceback, as Python prints it, of what lies in the app."""
    told = traceback.TracebackException.from_exception(error)
    told.stack = traceback.StackSummary.from_list([f for f in told.stack if f.filename.startswith(root + "/")])
    return "".join(told.format(chain=False))


def load(root):
    """Sentences on what is wrong with the modules of the app in ROOT."""
    open_package(root)
    try:
        with open(os.path.join(root, "app.json"), encoding="utf-8") as file:
            modules = json.load(file).get("modules", [])
    except FileNotFoundError:
        yield "app.json: no such file in the app"
        return
    except (AttributeError, ValueError) as error:
        yield f"app.json: is no JSON object: {error}"
        return
    broken = set()
    for declared in modules:
        for action in declared["actions"]:
            file, _, name = action["handler"].partition(":")
            path = f"{declared['path']}/{file}"
            if path in broken:
                continue
            try:
                problem = handler_problem(import_file(path), name)
            except BaseException as error:  # an import may well raise SystemExit
                problem = None
                broken.add(path)
                yield f"{own_frames(error, root)}{path}: can't be imported"
            if problem:
                yield f"{path}: {name} {problem}"


def child(root, report):
    """What the import does stays here; that it came to its end is told last, on a pipe."""
    problems = list(load(root))
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.stderr.flush()
    os.write(report, b"1" if problems else b"0")
    os._exit(0)


def main():
    root = os.environ.get("PLATFORM_PATH", "/workspace/app")
    answer, report = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(answer)
        try:
            child(root, report)
        except BaseException:
            traceback.print_exc()
            os._exit(2)
    os.close(report)
    os.waitpid(pid, 0)
    # What a module started may still hold the other end.
    os.set_blocking(answer, False)
    try:
        answered = os.read(answer, 1)
    except BlockingIOError:
        answered = b""
    if answered not in (b"0", b"1"):
        print("app.json: an import ended the process that would be the host", file=sys.stderr)
    return 0 if answered == b"0" else 1


if __name__ == "__main__":
    sys.exit(main())
