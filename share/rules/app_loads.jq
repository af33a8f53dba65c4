module {
  "title": "every module can be imported, and its handlers are what the host can call",
  "reason": "what an import does and finds shows only when it is carried out",
  "group": "app_runtime_load",
  "step": "imports"
};

# The profile's step decides, in the sandbox and under the image's own host.
def check: empty;
