module {
  "title": "the bundle holds no credentials",
  "reason": "who gets the app gets them too; they belong to the operator's settings",
  "group": "bundle_scan"
};
include "lib/bundle";

# Shapes that their makers gave to secrets and to nothing else. Each starts with a literal, which keeps the search fast.
def shapes: {
  "a private key": ("-----BEGIN (?:[A-Z0-9]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----"
    + "(?:\\\\[nr]|\\s)*(?:[A-Za-z0-9+/]{32}|Proc-Type:|Version:|Comment:)"),
  "an AWS access key": "(?<![A-Za-z0-9])A(?:KIA|SIA)(?![A-Z2-7]{9}EXAMPLE)[A-Z2-7]{16}(?![A-Za-z0-9])",
  "a GitHub token": "(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36}",
  "a fine-grained GitHub token": "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
  "a GitLab token": "(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20}",
  "a Slack token": "(?<![A-Za-z0-9])xox[abeoprs]-[0-9]{10,13}-[A-Za-z0-9-]{16}",
  "a live Stripe key": "(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{16}",
  "an OpenAI key": "(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20}",
  "an Anthropic key": "(?<![A-Za-z0-9])sk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{80}",
  "an E2B key": "(?<![A-Za-z0-9])e2b_[0-9a-f]{40}(?![0-9a-f])",
  "a Hugging Face token": "(?<![A-Za-z0-9])hf_[A-Za-z]{34}(?![A-Za-z0-9])",
  "a Google client secret": "(?<![A-Za-z0-9])GOCSPX-[A-Za-z0-9_-]{28}",
  "an npm token": "(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])",
  "a PyPI token": "pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50}",
  "a Docker Hub token": "(?<![A-Za-z0-9])dckr_pat_[A-Za-z0-9_-]{27}",
  "a SendGrid key": "(?<![A-Za-z0-9])SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}",
  "a DigitalOcean token": "(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{64}"
};

# Files that exist to hold secrets. An example of one is no secret.
def secret_file:
  "(?:\\A|/)(?:\\.env(?:\\.(?!(?:[^/]*\\.)?(?:example|sample|template)\\z)[^/]*)?"
  + "|id_(?:rsa|dsa|ecdsa|ed25519)|\\.netrc|\\.pgpass|\\.git-credentials|[^/]+\\.(?:p12|pfx|jks|keystore|kdbx))\\z";

# The finding says where and of what kind, and never repeats the secret.
def check:
  (shapes | to_entries) as $shapes
  | (files_like(secret_file) | failure(.file; "is a file for secrets")),
    each_text(""; .file as $file
        | $shapes[] as $shape
        | line_like($shape.value)
        | failure($file; "line \(.line): looks like \($shape.key)"));
