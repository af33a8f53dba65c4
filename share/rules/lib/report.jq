# report - run one rule and tell what came of it
include "lib/bundle";

# Why a rule can't be run on this bundle; nothing when it can.
def obstacle($needs):
  if $needs == null then empty
  elif .app == null then skip("app.json could not be read: see app_shape")
  else
    .documents[]
    | select(.at == $needs and (.json.value | type != "object"))
    | skip("\(.name | quoted) could not be read: see declared_documents")
  end;

# A rule that breaks has not been kept: it counts as skipped. One that finds more than MOST is stopped.
def report($rule; $most; check):
  ($rule | modulemeta) as $meta
  | [obstacle($meta.needs)] as $obstacles
  | {
      $rule,
      $meta,
      found: [$obstacles[], (select($obstacles == []) | try limit($most; check) catch skip("the rule broke: \(tostring)"))]
    };
