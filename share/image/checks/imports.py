"""imports - do the modules of a Python project find one another?

usage: python3 imports.py [DIR]

Nothing is run: the sources are read. An import of the project's own must lead to a module of it, and a name that is imported
from such a module must be defined there. Imports of anything else, and those inside try or if, are not looked at.
"""

import ast
import os
import sys

from report import run


def sources():
    for directory, below, names in os.walk("."):
        below.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                yield os.path.normpath(os.path.join(directory, name))


def find(directory, dotted):
    """The path of the project's module, "" for a package without __init__.py, None when there is no such module."""
    path = os.path.normpath(os.path.join(directory, *dotted.split("."))) if dotted else directory
    for candidate in (path + ".py", os.path.join(path, "__init__.py")):
        if os.path.isfile(candidate):
            return candidate
    return "" if os.path.isdir(path) else None


def is_own(directory, dotted):
    top = dotted.split(".")[0]
    return top not in sys.stdlib_module_names and find(directory, top) is not None


def defined(tree):
    """The names that a module defines at its top level, or None when only running it would tell."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return None
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    dynamic = {"__getattr__"} & names or any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("globals", "exec", "setattr")
        for node in ast.walk(tree))
    return None if dynamic else names


def imports(node):
    """The imports below a node that run whatever happens."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif not isinstance(child, (ast.Try, ast.If)):
            yield from imports(child)


def places(path, node):
    """Where an import of this file starts to look: its package for a relative one, else the root and the file's directory."""
    here = os.path.dirname(path) or "."
    if isinstance(node, ast.ImportFrom) and node.level:
        return [os.path.normpath(os.path.join(here, *[".."] * (node.level - 1)))]
    return [".", here]


def missing_names(trees, module, node):
    names = defined(trees[module]) if module in trees else None
    for alias in node.names:
        package = os.path.dirname(module)
        is_submodule = os.path.basename(module) == "__init__.py" and find(package, alias.name) is not None
        if alias.name != "*" and names is not None and alias.name not in names and not is_submodule:
            yield f'"{alias.name}" is not defined in {module}'


def complaints(trees, path, node):
    relative = isinstance(node, ast.ImportFrom) and node.level > 0
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    for dotted in modules:
        looked = [place for place in places(path, node) if relative or is_own(place, dotted)]
        found = [module for module in (find(place, dotted) for place in looked) if module is not None]
        if looked and not found:
            yield f'no module "{"." * getattr(node, "level", 0)}{dotted}" in the project'
        elif found and found[0] and isinstance(node, ast.ImportFrom):
            yield from missing_names(trees, found[0], node)


def faults():
    trees = {}
    for path in sources():
        try:
            with open(path, "rb") as file:
                trees[path] = ast.parse(file.read(), path)
        except (SyntaxError, ValueError) as error:
            yield f"{path}:{getattr(error, 'lineno', None) or 1}: error: {getattr(error, 'msg', error)}"
    for path, tree in trees.items():
        for node in imports(tree):
            for what in complaints(trees, path, node):
                yield f"{path}:{node.lineno}: error: {what}"


run(faults)
