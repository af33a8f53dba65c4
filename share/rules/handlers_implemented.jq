module {
  "title": "every action's handler is defined at the top level of its file, and is no stub",
  "reason": "a declared action that does nothing is not implemented",
  "group": "module_implementation"
};
include "lib/bundle";
include "lib/source";

# {file, function} of each action whose handler's file is there.
def handlers:
  . as $bundle
  | modules.value
  | .path as $path
  | select($path | type == "string")
  | actions.value.handler
  | strings
  | split(":")
  | select(length == 2)
  | . as $parts
  | {file: ($bundle | at("\($path)/" + $parts[0])), function: $parts[1]}
  | . as $handler
  | select($bundle.files[$handler.file]);

def check:
  . as $bundle
  | on_app(
      [handlers]
      | group_by(.file)[]
      | .[0].file as $file
      | [.[].function]
      | unique
      | . as $functions
      | $bundle.files[$file]
      | if .text == null then skip("\(.path | quoted) \(.withheld // "is no text")")
        else
          (.text | definitions) as $defined
          | $functions[]
          | if $defined[.] then select($defined[.] | stub) | failure($file; "\(.)() is a stub")
            elif $defined["*"] then empty
            else failure($file; "does not define \(.)() at its top level")
            end
        end
    );
