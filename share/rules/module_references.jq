module {
  "title": "every module's directory and every action's handler file are in the bundle",
  "reason": "the host loads a module by these names and finds it nowhere else",
  "group": "module_wiring"
};
include "lib/bundle";

def directory_problem($name):
  ($name | reference_problem) as $problem
  | if $problem then "\($name | quoted) \($problem)"
    elif directory(at($name)) then null
    elif .files[at($name)] then "\($name | quoted) is a file, not a directory"
    else "there is no directory \($name | quoted)"
    end;

def check:
  . as $bundle
  | on_app(
      modules
      | .key as $i
      | .value as $declared
      | $declared.path
      | strings as $path
      | ($bundle | directory_problem($path)) as $problem
      | if $problem then "modules[\($i)].path: \($problem)"
        else
          $declared
          | actions
          | .key as $j
          | .value.handler
          | strings
          | split(":")[0] as $file
          | $bundle
          | lost("\($path)/\($file)")
          | values
          | "modules[\($i)].actions[\($j)].handler: \(.)"
        end
      | failure($bundle | manifest; .)
    );
