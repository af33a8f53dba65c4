module {
  "title": "the bundle holds no code that drives a sandbox provider or a container engine",
  "reason": "where an app runs is the operator's choice; an app that makes machines of its own would run beyond it",
  "group": "bundle_scan"
};
include "lib/bundle";

# Clouds that a canonical bundle may not drive either. Elsewhere they mostly keep files and send mail, and are let be.
def python($canonical):
  "(?:e2b|e2b_code_interpreter|e2b_desktop|docker|aiodocker|podman|python_on_whales|kubernetes|kubernetes_asyncio|modal"
  + "|daytona|daytona_sdk|runloop_api_client|microsandbox"
  + if $canonical then "|boto3|botocore|aioboto3|google\\.cloud|azure\\.mgmt)" else ")" end;

def npm($canonical):
  "(?:e2b|@e2b/[^'\"/]+|dockerode|@kubernetes/client-node|@daytonaio/sdk|@daytona/sdk|@vercel/sandbox|@cloudflare/sandbox"
  + "|@codesandbox/sdk|@runloop/api-client"
  + if $canonical then "|aws-sdk|@aws-sdk/[^'\"/]+|@google-cloud/[^'\"/]+|@azure/arm-[^'\"/]+)" else ")" end;

def python_import:
  "(?m)^[ \\t]*\\K(?:from[ \\t]+\(.)(?=[ \\t.])|import(?>[ \\t]+)(?:[\\w. \\t]+,)*[ \\t]*\(.)(?=[ \\t.,;#\\r]|$))"
  + "|(?:import_module|__import__)\\([ \\t]*['\"]\(.)['\".]";

def npm_import: "(?:\\bfrom|\\bimport|\\bimport\\s*\\(|\\brequire\\s*\\()\\s*['\"]\(.)(?:/[^'\"\\n]*)?['\"]";

def requirement: "(?mi)^[ \\t]*\(gsub("_"; "[-_.]"))(?=[ \\t\\[<>=!~;@#\\r]|$)";

def dependencies: .dependencies, .devDependencies, .optionalDependencies, .peerDependencies | objects | keys_unsorted[];

def check:
  python(.profile.canonical) as $python
  | npm(.profile.canonical) as $npm
  | def seen($regex; $says):
      .file as $file
      | line_like($regex)
      | failure($file; "line \(.line): \($says) a provider: \(.match | quoted)");
  each_text("\\.py\\z"; seen($python | python_import; "drives")),
  each_text("\\.[cm]?[jt]sx?\\z"; seen($npm | npm_import; "drives")),
  each_text("(?:\\A|/)requirements[^/]*\\.txt\\z"; seen($python | requirement; "asks for the library of")),
  (files_like("(?:\\A|/)package\\.json\\z")
   | failure(.file; .json.value
       | objects
       | dependencies
       | select(test("\\A\($npm)\\z"))
       | "asks for the library of a provider: \(quoted)"));
