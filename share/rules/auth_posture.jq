module {
  "title": "an app with sign-in has an authentication contract, and a public app has none",
  "reason": "an app must not go without sign-in by accident, nor ask for one that nobody described",
  "group": "schema_quality",
  "needs": "app"
};
include "lib/bundle";

def check:
  failure(.manifest; .app
    | if .authRequired == false then select(.authContract) | "authRequired is false, and yet there is an authContract"
      else select(.authContract | not) | "authRequired is true, which it is when absent, and there is no authContract"
      end);
