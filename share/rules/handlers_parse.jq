module {
  "title": "every Python file compiles",
  "reason": "a file that does not compile stops the host when it loads the module",
  "group": "module_implementation",
  "step": "compileall"
};

# The profile's step decides, in the sandbox and with the image's own Python.
def check: empty;
