module {
  "title": "the running app keeps, finds and separates its users' records",
  "reason": "an app that builds may still lose or mix up what it is given",
  "group": "app_runtime_smoke",
  "step": "smoke"
};

# The profile's smoke decides, in the sandbox, with the app on its host and a database of its own.
def check: empty;
