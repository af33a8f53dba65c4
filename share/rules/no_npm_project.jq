module {
  "title": "the bundle has no npm project of its own",
  "reason": "pages are built by the shared shell with the image's dependencies; a project of the bundle's own would bring others",
  "group": "bundle_scan"
};
include "lib/bundle";

def parts:
  "(?:\\A|/)(?:package\\.json|package-lock\\.json|npm-shrinkwrap\\.json|yarn\\.lock|pnpm-lock\\.yaml|pnpm-workspace\\.yaml"
  + "|bun\\.lockb?|\\.npmrc|\\.yarnrc(?:\\.yml)?|\\.pnp\\.[cm]?js)\\z|(?:\\A|/)node_modules/";

def check: files_like(parts) | failure(.file; "belongs to an npm project");
