module {
  "title": "the bundle holds no code that drives a sandbox provider or a container engine",
  "reason": "where an app runs is the operator's choice; an app that makes machines of its own would run beyond it",
  "group": "bundle_scan"
};
include "lib/bundle";

# What a canonical bundle may not drive either. Elsewhere these mostly store files and send mail, and are let be.
def clouds($canonical): if $canonical then "|boto3|botocore|aioboto3|google\\.cloud|azure\\.mgmt" else "" end;
def npm_clouds($canonical): if $canonical then "|aws-sdk|@aws-sdk/[^'\"/]+|@google-cloud/[^'\"/]+|@azure/arm-[^'\"/]+" else "" end;

def python($canonical):
  "(?:e2b|e2b_code_interpreter|e2b_desktop|docker|aiodocker|podman|python_on_whales|kubernetes|kubernetes_asyncio|modal"
  + "|daytona|daytona_sdk|runloop_api_client|microsandbox" + clouds($canonical) + ")";

def npm($canonical):
  "(?:e2b|@e2b/[^'\"/]+|dockerode|@kubernetes/client-node|@daytonaio/sdk|@daytona/sdk|@vercel/sandbox|@cloudflare/sandbox"
  + "|@codesandbox/sdk|@runloop/api-client" + npm_clouds($canonical) + ")";

def python_import($name):
  "(?m)^[ \\t]*(?:from[ \\t]+" + $name + "(?=[ \\t.])|import[ \\t]+(?:[\\w. \\t]+,)*[ \\t]*" + $name + "(?=[ \\t.,;#\\r]|$))"
  + "|(?:import_module|__import__)\\([ \\t]*['\"]" + $name + "['\".]";

def npm_import($name): "(?:\\bfrom|\\bimport|\\bimport\\s*\\(|\\brequire\\s*\\()\\s*['\"]" + $name + "(?:/[^'\"\\n]*)?['\"]";

def requirement($name): "(?mi)^[ \\t]*" + ($name | gsub("_"; "[-_.]")) + "(?=[ \\t\\[<>=!~;@#\\r]|$)";

def seen($regex; $what):
  .file as $file
  | .text
  | select(test($regex))
  | match($regex) as $m
  | failure($file; "line \(line_of($m.offset + ($m.string | length))): \($what) \($m.string | quoted)");

def check:
  .profile.canonical as $canonical
  | each_text("\\.py\\z"; seen(python_import(python($canonical)); "drives a provider:")),
    each_text("\\.[cm]?[jt]sx?\\z"; seen(npm_import(npm($canonical)); "drives a provider:")),
    each_text("(?:\\A|/)requirements[^/]*\\.txt\\z"; seen(requirement(python($canonical)); "asks for a provider's library:")),
    (files_like("(?:\\A|/)package\\.json\\z")
     | .file as $file
     | .json.value
     | objects
     | (.dependencies, .devDependencies, .optionalDependencies, .peerDependencies)
     | objects
     | keys_unsorted[]
     | select(test("\\A" + npm($canonical) + "\\z"))
     | failure($file; "asks for a provider's library: \(quoted)"));
