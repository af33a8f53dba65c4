module {
  "title": "the running app keeps, finds and separates its users' records",
  "reason": "an app that builds may still lose or mix up what it is given",
  "group": "app_runtime_smoke"
};
include "lib/bundle";

# It is applicable to every canonical app, so acceptance stays pending until something can run it.
def check: skip("nothing runs the app yet: the image has no host that could");
