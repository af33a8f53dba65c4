module {
  "title": "the bundle holds no template that renders settings",
  "reason": "what is rendered when the app runs is not what was checked here",
  "group": "bundle_scan"
};
include "lib/bundle";

# Jinja's own marks. GitHub's ${{ }} is no template of the app, and style={{ }} in a page is no template at all.
def marks: "\\{%[-+]?\\s*\\w|(?<![$=])\\{\\{(?!\\{)[^{}\\n]*\\}\\}";

# Documents and settings, whatever program reads them. Pages and styles are sources, which the build checks.
def settings: "\\.(?:json|ya?ml|toml|ini|cfg|conf|env|properties)\\z|(?:\\A|/)(?:Dockerfile|\\.env[^/]*)\\z";

def check:
  (files_like("\\.(?:j2|jinja2?|tmpl|tpl)\\z") | failure(.file; "is a template by its name")),
  each_text(settings; .file as $file | line_like(marks) | failure($file; "line \(.line): is a template of Jinja's kind"));
