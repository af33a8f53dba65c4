"""usage: python.py compileall | python.py SCRIPT - what Python's own compile() or traceback objects say is wrong

Columns are left out: a traceback shows a line without its indentation, so a log does not have them.
"""
import json
import os
import runpy
import sys
import traceback

found = []


def tell(error, file, line, message):
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    one = dict(tool="python", code=name, severity="error", file=file, message=(message.split("\n")[0] or name))
    found.append(one if line is None else dict(one, line=line))


def compiled(path):
    with open(path, "rb") as f:
        source = f.read()
    try:
        compile(source, path, "exec")
    except SyntaxError as e:
        tell(e, path, e.lineno, e.msg)
    except ValueError as e:
        tell(e, path, None, str(e))


def raised(error):
    """The cause is printed before its effect. A library's frames are not the app's."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        raised(cause)
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and not error.filename.startswith("<"):
        return tell(error, error.filename, error.lineno, error.msg)
    own = [f for f in frames if f.filename.startswith(os.getcwd() + "/")]
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    tell(error, own[-1].filename, own[-1].lineno, message)


if sys.argv[1] == "compileall":
    for base, dirs, names in os.walk("."):
        dirs.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                compiled(os.path.join(base, name))
else:
    sys.path.insert(0, os.getcwd())
    try:
        runpy.run_path(os.path.abspath(sys.argv[1]), run_name="__main__")
    except BaseException as error:
        raised(error)
print(json.dumps(found, ensure_ascii=False))
