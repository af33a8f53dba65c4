module {
  "title": "an app with sign-in has an authentication contract, and a public app has none",
  "reason": "an app must not go without sign-in by accident, nor ask for one that nobody described",
  "group": "schema_quality"
};
include "lib/bundle";

def check:
  on_app(
    manifest as $file
    | app
    | has("authContract") as $contract
    | if .authRequired == false and $contract then
        failure($file; "authRequired is false, and yet there is an authContract")
      elif (.authRequired == true or (has("authRequired") | not)) and ($contract | not) then
        failure($file; "authRequired is \(if .authRequired then "true" else "absent, which means true" end), and there is no authContract")
      else empty
      end
  );
